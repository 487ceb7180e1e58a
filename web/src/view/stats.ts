// What the page's own work costs: script per drawn frame, and the time from a pointer event to its drawn result.

/** The last values of something, for medians. */
class Samples {
  private readonly values = new Float64Array(1024);
  count = 0;

  add(value: number): void {
    this.values[this.count++ % this.values.length] = value;
  }

  quantile(share: number): number | null {
    const kept = Math.min(this.count, this.values.length);
    if (kept === 0) return null;
    const sorted = this.values.slice(0, kept).sort();
    return sorted[Math.min(Math.floor(share * kept), kept - 1)] as number;
  }
}

export interface Summary {
  /** Frames drawn. */
  frames: number;
  /** Script for one drawn frame, ms: messages since the last one, and the drawing calls. */
  script: { median: number | null; p95: number | null };
  /** From the pointer event to the frame that shows it, ms. */
  latency: { median: number | null; p95: number | null; count: number };
}

/** Marks each drawing in the browser's own trace, where the address asks for it: `npm run measure` does. */
const MARKS = typeof location !== "undefined" && new URLSearchParams(location.search).has("mark");

export class Stats {
  private readonly script = new Samples();
  private readonly latency = new Samples();
  private begun = 0;

  begin(): void {
    this.begun = performance.now();
  }

  /** `work` is what messages took since the last drawing, ms. */
  end(work: number): void {
    this.script.add(performance.now() - this.begun + work);
    if (MARKS) performance.mark("flexline.drawn");
  }

  shown(latency: number): void {
    this.latency.add(latency);
  }

  summary(): Summary {
    const two = (samples: Samples) => ({ median: samples.quantile(0.5), p95: samples.quantile(0.95) });
    return {
      frames: this.script.count,
      script: two(this.script),
      latency: { ...two(this.latency), count: this.latency.count },
    };
  }
}

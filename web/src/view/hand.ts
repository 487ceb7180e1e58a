// Hands: taking hold of a point of a cable or of a thing, leading it, letting go. The pointer, the gizmo and the
// controllers of a headset all do it through here.

import * as THREE from "three";
import type { App } from "../app";
import type { Outcome } from "../protocol";

export type Hold = { name: string } | { cable: string; at: number };

export class Hand {
  holds: Hold | null = null;
  /** Where what is held was when it was taken. */
  readonly origin = new THREE.Vector3();
  readonly originTurn = new THREE.Quaternion();
  readonly target = new THREE.Vector3();
  private turn: THREE.Quaternion | null = null;
  private moved = false;
  private ready = false;
  private wanted = false;
  private stamp = 0;
  private letGo: { keep: boolean } | null = null;

  constructor(private readonly app: App, readonly id: number) {
    app.on("connection", (state) => {
      // What was in hand is let go by a server that loses us.
      if (state !== "open") this.forget();
    });
  }

  /** Takes hold; answers whether it could. */
  async grab(hold: Hold): Promise<boolean> {
    if (this.holds) return false;
    this.holds = hold;
    this.ready = this.moved = this.wanted = false;
    this.letGo = null;
    this.target.set(0, 0, 0);
    const grabbed = await this.app.ask("grab", { hand: this.id, ...hold });
    if (this.holds !== hold) return false;
    if (!grabbed) {
      this.forget();
      return false;
    }
    this.origin.fromArray(grabbed.position);
    this.originTurn.fromArray(grabbed.frame);
    this.ready = true;
    const early = this.letGo as { keep: boolean } | null;
    if (early) {
      this.flush();
      await this.drop(early.keep);
    }
    return true;
  }

  /** Leads what is held; sent once per drawing. `stamp` is the time of the pointer event. */
  lead(to: THREE.Vector3, turn: THREE.Quaternion | null, stamp: number): void {
    if (!this.holds) return;
    this.target.copy(to);
    this.turn = turn;
    // The oldest event that has not been sent counts for the latency.
    if (!this.wanted) this.stamp = stamp;
    this.wanted = this.moved = true;
  }

  /** Sends where the hand is, if it has moved. */
  flush(): void {
    if (!this.ready || !this.wanted) return;
    this.wanted = false;
    const frame = this.turn ? { frame: this.turn.toArray() } : {};
    this.app.server.send("drag", { hand: this.id, to: this.target.toArray(), stamp: this.stamp, ...frame });
  }

  /** Lets go; with `keep` what was done stays. */
  async drop(keep: boolean): Promise<Outcome | null> {
    if (!this.holds) return null;
    if (!this.ready) {
      this.letGo = { keep };
      return null;
    }
    this.flush();
    const moved = this.moved;
    const gone = this.gone();
    this.forget();
    // Somebody removed it meanwhile, and everybody was told so.
    if (gone) return null;
    return this.app.ask("drop", { hand: this.id, keep: keep && moved });
  }

  /** Whether the scene has no longer what is held. */
  private gone(): boolean {
    const { holds, app } = this;
    if (!holds || !app.scene) return false;
    if ("cable" in holds) return !app.scene.cables.some((cable) => cable.name === holds.cable);
    return !app.scene.things.some((thing) => thing.name === holds.name);
  }

  private forget(): void {
    this.holds = null;
    this.ready = this.wanted = this.moved = false;
    this.letGo = null;
  }
}

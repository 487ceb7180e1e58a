// A SpaceMouse through WebHID, where the browser has it: push and turn the cap, and the view goes along.

import type { App } from "../app";
import type { Stage } from "./stage";
import { iconButton } from "./viewbar";

interface Device extends EventTarget {
  opened: boolean;
  open(): Promise<void>;
}

interface Report extends Event {
  reportId: number;
  data: DataView;
}

interface Hid {
  getDevices(): Promise<Device[]>;
  requestDevice(options: { filters: object[] }): Promise<Device[]>;
}

/** 3Dconnexion, and Logitech that sold them before; a multi-axis controller. */
const FILTERS = [0x256f, 0x046d].map((vendorId) => ({ vendorId, usagePage: 1, usage: 8 }));
/** What the cap reports when it is pushed as far as it goes. */
const FULL = 350;

export function mountSpaceMouse(app: App, stage: Stage): void {
  const { hid } = navigator as unknown as { hid?: Hid };
  if (!hid) return;
  const push = [0, 0, 0];
  const twist = [0, 0, 0];
  let last = 0;
  const listen = async (device: Device) => {
    if (!device.opened) await device.open();
    device.addEventListener("inputreport", (event) => {
      const { reportId, data } = event as Report;
      const read = (from: number, to: number[]) => {
        for (let k = 0; k < 3; k++) to[k] = data.getInt16(from + 2 * k, true) / FULL;
      };
      if (reportId === 1 && data.byteLength >= 6) {
        read(0, push);
        // Newer ones send all six at once.
        if (data.byteLength >= 12) read(6, twist);
      } else if (reportId === 2 && data.byteLength >= 6) read(0, twist);
      else return;
      const now = performance.now();
      const seconds = Math.min((now - last) / 1000, 0.05);
      last = now;
      stage.nudge(push, twist, seconds);
    });
  };
  const button = iconButton("spacemouse", "Use a SpaceMouse", () => {
    hid.requestDevice({ filters: FILTERS })
      .then((devices) => {
        if (devices.length === 0) return Promise.resolve();
        app.notice("The SpaceMouse moves the view now.", "good");
        return Promise.all(devices.map(listen)).then(() => undefined);
      })
      .catch((error: unknown) => {
        app.notice(`The SpaceMouse could not be opened: ${error instanceof Error ? error.message : String(error)}. `
          + "On Linux a udev rule must let you read it.", "error");
      });
  });
  document.getElementById("viewbar")?.append(button);
  // What was allowed once is used at once.
  hid.getDevices().then((devices) => devices.forEach((device) => void listen(device)), () => undefined);
}

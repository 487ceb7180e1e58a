// Into the headset and out of it. WebXR needs a secure page: the loopback address is one, another needs HTTPS.

import * as THREE from "three";
import type { App } from "../../app";
import type { View } from "../index";
import { iconButton } from "../viewbar";
import { Headset } from "./headset";

export function mountHeadset(app: App, view: View): void {
  const { xr } = navigator;
  if (!xr) return;
  void xr.isSessionSupported("immersive-vr").then((supported) => {
    if (!supported) return;
    const headset = new Headset(app, view);
    let session: XRSession | null = null;
    const button = iconButton("vr", "Enter VR", () => {
      if (session) void session.end();
      else void enter(app, view, headset, (now) => {
        session = now;
        const title = now ? "Leave VR" : "Enter VR";
        button.title = title;
        button.setAttribute("aria-label", title);
        button.setAttribute("aria-pressed", String(now !== null));
      });
    });
    button.id = "enter-vr";
    (document.getElementById("vr-slot") ?? document.getElementById("viewbar"))?.append(button);
  }, () => undefined);
}

async function enter(app: App, view: View, headset: Headset, tell: (session: XRSession | null) => void): Promise<void> {
  const { stage } = view;
  const { renderer } = stage;
  try {
    const session = await (navigator.xr as XRSystem).requestSession("immersive-vr", {
      optionalFeatures: ["local-floor", "hand-tracking"],
    });
    const before = stage.camera;
    session.addEventListener("end", () => {
      headset.end();
      stage.camera = before;
      stage.scene.background = null;
      stage.resize();
      tell(null);
    });
    renderer.xr.setReferenceSpaceType("local-floor");
    stage.camera = new THREE.PerspectiveCamera(70, 1, 0.01, 200);
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--view-bottom").trim();
    stage.scene.background = new THREE.Color(colour || "#11161c");
    await renderer.xr.setSession(session);
    headset.begin();
    tell(session);
  } catch (error) {
    app.notice(`The headset could not be entered: ${error instanceof Error ? error.message : String(error)}`, "error");
  }
}

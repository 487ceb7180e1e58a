import { describe, expect, it } from "vitest";
import { App, type Server } from "./app";
import { typedForm } from "./panels/properties/form";

/** Keeps what it is asked, and answers nothing. */
class Silent implements Server {
  client = 1;
  readonly heard: unknown[][] = [];
  request(...all: unknown[]): Promise<never> {
    this.heard.push(all);
    return new Promise(() => undefined);
  }
  send(...all: unknown[]): void {
    this.heard.push(all);
  }
}

// The compiler is the test here: where one of these compiled, its line would be an error.
describe("what the server does not know does not compile", () => {
  it("in commands", () => {
    const server = new Silent();
    const app = new App(server);
    void app.command({ do: "cut", cable: "trunk", at: "40 %" });
    // @ts-expect-error: there is no such key
    void app.command({ do: "cut", cabel: "trunk", at: "40 %" });
    // @ts-expect-error: a key too many
    void app.command({ do: "cut", cable: "trunk", at: "40 %", hold: "free" });
    // @ts-expect-error: there is no such command
    void app.command({ do: "cutt", cable: "trunk", at: "40 %" });
    // @ts-expect-error: no such way to hold
    void app.command({ do: "set-handle", name: "clip", hold: "loose" });
    expect(server.heard[0]).toEqual(["command", { command: { do: "cut", cable: "trunk", at: "40 %" } }]);
  });

  it("in requests and their answers", () => {
    const server = new Silent();
    const app = new App(server);
    void app.ask("undo");
    void app.ask("grab", { hand: 0, cable: "trunk", at: 0.1 }).then((grabbed) => grabbed?.position);
    // @ts-expect-error: no such request
    void app.ask("unod");
    // @ts-expect-error: what is released must be named
    void app.ask("release");
    // @ts-expect-error: no such key
    void app.ask("drop", { hand: 0, kepp: true });
    // @ts-expect-error: a place of a cable is in metres
    void app.ask("grab", { hand: 0, cable: "trunk", at: "40 %" });
    // @ts-expect-error: the answer has no such key
    void app.ask("save").then((saved) => saved?.path);
    expect(server.heard.slice(0, 2)).toEqual([["undo"], ["grab", { hand: 0, cable: "trunk", at: 0.1 }]]);
  });

  it("in forms", () => {
    const head = { id: "cut", title: "Cut", hint: "", icon: "cut", act: "Cut" } as const;
    const at = { name: "at", label: "Place", input: { is: "place" } } as const;
    const made = typedForm({ ...head, fields: [at], command: ({ at: place }) => ({ do: "cut", cable: "trunk", at: place }) });
    expect(made.command({ at: "40 %" })).toEqual({ do: "cut", cable: "trunk", at: "40 %" });
    // @ts-expect-error: the form has no such field
    typedForm({ ...head, fields: [at], command: ({ place }) => ({ do: "cut", cable: "trunk", at: place }) });
    // @ts-expect-error: what may be left empty is not always there
    typedForm({ ...head, fields: [{ ...at, optional: true }], command: ({ at: place }) => ({ do: "cut", cable: "trunk", at: place }) });
    const flag = { name: "at", label: "Place", input: { is: "flag" } } as const;
    // @ts-expect-error: a switch is no place
    typedForm({ ...head, fields: [flag], command: ({ at: place }) => ({ do: "cut", cable: "trunk", at: place }) });
  });
});

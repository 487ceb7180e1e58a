// Requests and events by their words, for those who ask and listen: a key that the server does not know does not compile.

import type { Answers, Op, ServerEvent } from "./protocol";

/** What is left of each of several types without a key. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The words under `op`. */
export type OpName = Op["op"];

/** Those that are answered. */
export type Asking = keyof Answers;

/** What goes with an `op`. */
export type FieldsOf<O extends OpName> = Without<Extract<Op, { op: O }>, "op">;

/** The fields of a request: none need be given where none must be. */
export type Asked<O extends OpName> = object extends FieldsOf<O> ? [fields?: FieldsOf<O>] : [fields: FieldsOf<O>];

/** The event with that word. */
export type EventOf<E extends ServerEvent["event"]> = Extract<ServerEvent, { event: E }>;

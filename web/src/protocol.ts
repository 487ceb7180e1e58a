// What page and server say to each other. Made from the types of the server by `cargo xtask wire --write`: change those
// instead. crates/flexline-server/PROTOCOL.md says what it means.

/** `GET /api/about`. */
export type About = {
  /** Version of the server. */ version: string;
  /** What it takes at most. */ limits: Limits;
  /** The folder of the studio. */ folder: string;
};

/** What every `op` is answered with: `drag` alone is not answered. */
export type Answers = {
  command: Outcome;
  undo: Outcome;
  redo: Outcome;
  preview: Outcome;
  "end-preview": Outcome;
  grab: Grabbed;
  drop: Outcome;
  mode: Nothing;
  step: Nothing;
  release: Nothing;
  rewind: Nothing;
  record: Recorded;
  scrub: Recorded;
  save: Saved;
  revert: Outcome;
  checks: Finding[];
  ping: Nothing;
};

/** What `POST /api/sessions` answers. */
export type Began = {
  /** Name of the session. */ session: string;
};

/** What `POST /api/sessions` asks for: `gallery`, `name` and `text`, or the `name` of a session that has a journal. */
export type Begin = {
  /** A scene of the gallery. */ gallery?: string;
  /** Name of the session. */ name?: string;
  /** The scene. */ text?: string;
};

/** A minimum bend radius. */
export type BendLimit = {
  /** Smallest allowed radius, m. */ radius: number;
  /** Where it is measured. */ reference: RadiusReference;
};

/** A minimum bend radius as the maker gives it, and what it means for the centreline. */
export type BendLimitView = {
  /** Smallest radius, m. */ radius: number;
  /** Where it is measured. */ reference: RadiusReference;
  /** The use that it is for. */ use: BendUse;
  /** The radius of the centreline that belongs to it, m. */ centre_radius: number;
};

/** The use that a bend limit is for. */
export type BendUse = "static" | "dynamic";

/** A cable. */
export type Cable = {
  /** Its name. */ name: string;
  /** The part of the library that it is made of. */ part: string | null;
  /** What its section is given by. */ kind: SectionKind;
  /** What its mechanics are computed with. */ model: RodModel;
  /** Its length, m; of one that finds its own, what it found. */ length: number;
  /** Segments or elements. */ resolution: number;
  /** What it begins in. */ from: string;
  /** What it ends in, or `free`. */ to: string;
  /** Of the outside, m. */ radius: number;
  /** Turn of the far end, rad. */ twist: number;
  /** Whether it finds its own length. */ routed: boolean;
  /** What it is used for. */ use: BendUse;
  /** The bend limit that counts here. */ bend_limit: BendLimitView | null;
  /** Largest tension, N. */ max_tension: number | null;
  /** Largest twist per length, rad/m, either way. */ max_twist: number | null;
  /** Bending stiffness at the beginning, N m². */ bend: number;
  /** Twisting stiffness at the beginning, N m². */ torsion: number;
  /** Its first node in a frame. */ first: number;
  /** How many nodes it has there. */ count: number;
};

/** Cables that a surface or the lines of a file would be. */
export type CablesFound = {
  /** Their ends, and where they branch. */ nodes: FoundNode[];
  /** The cables. */ cables: FoundCable[];
  /** What was left out, mended or guessed. */ warnings: string[];
  /** What a cable may be made of. */ materials: string[];
  /** What must be said before there are commands: `unit`, `radius`, `material`. */ needs: string[];
  /** What lays them, to be given as one. */ commands: Command[];
};

/** Where a cable is nearest to an obstacle. */
export type Clearance = {
  /** The cable. */ cable: string;
  /** The obstacle. */ obstacle: string;
  /** Arc length of the place, m. */ s: number;
  /** Distance of the surfaces, m; negative where they overlap. */ gap: number;
  /** Where the axis of the cable is, m. */ position: Vector;
};

/** One thing done to a scene. */
export type Command =
  | {
    do: "create-cable";
    /** Its name. */ name: string;
    /** What it begins in. */ from: string;
    /** What it ends in, or `"free"`. */ to: string;
    /** Its length. */ length?: Quantity;
    /** Instead of a length: how much longer than needed, a length or a share. */ slack?: Quantity;
    /** Other keys of its table: part, section, grips, … */ with?: Keys;
  }
  | {
    do: "prolong";
    /** The cable. */ cable: string;
    /** By how much; below zero it gets shorter. */ by: Quantity;
    /** At which end. */ end?: Side;
  }
  | {
    do: "cut";
    /** The cable. */ cable: string;
    /** Where. */ at: Quantity;
    /** Names of the two pieces. */ names?: [string, string];
  }
  | {
    do: "join";
    /** The cables. */ cables: [string, string];
    /** Name of the whole. */ name?: string;
  }
  | {
    do: "separate";
    /** What they are taken off. */ at: string;
    /** Which cable; all of them where not given. */ cable?: string;
  }
  | {
    do: "attach";
    /** The cable. */ cable: string;
    /** To what. */ to: string;
    /** Other keys: grip_to, to_tangent, twist. */ with?: Keys;
  }
  | {
    do: "branch";
    /** The cable it leaves. */ cable: string;
    /** Where. */ at: Quantity;
    /** Name of the new cable. */ name: string;
    /** What the new cable ends in, or `"free"`. */ to?: string;
    /** Its length. */ length?: Quantity;
    /** Instead of a length: how much longer than needed. */ slack?: Quantity;
    /** Name of the free clip that is put there. */ clip?: string;
    /** Other keys of the new cable. */ with?: Keys;
  }
  | {
    do: "move";
    /** What is moved. */ name: string;
    /** To this position. */ to?: [Quantity, Quantity, Quantity];
    /** By this much. */ by?: [Quantity, Quantity, Quantity];
    /** A new frame: tangent and up, quaternion, or axis and angle. */ frame?: Keys;
  }
  | {
    do: "release";
    /** Junction, clip or part. */ name: string;
  }
  | {
    do: "turn";
    /** The cable. */ cable: string;
    /** By this angle on top of what there is. */ by?: Quantity;
    /** To this angle. */ to?: Quantity;
  }
  | {
    do: "add-handle";
    /** The cable. */ cable: string;
    /** Where on it. */ at: Quantity;
    /** Its name. */ name?: string;
    /** What it holds. */ hold?: HandleHold;
    /** Other keys of the clip; without a position it holds the cable where it is. */ with?: Keys;
  }
  | {
    do: "equidistant-handles";
    /** The cable. */ cable: string;
    /** How many. */ count: number;
    /** Where the stretch begins that they divide. */ from?: Quantity;
    /** Where it ends. */ to?: Quantity;
    /** What they hold. */ hold?: HandleHold;
    /** How their names begin. */ prefix?: string;
  }
  | {
    do: "set-handle";
    /** The clip. */ name: string;
    /** What it holds from now on, where it is. */ hold?: HandleHold;
    /** Slides along these axes of the world. */ slides?: string[];
    /** Slides on a line: keys of the constraint. */ line?: Keys;
    /** Slides on a path: keys of the constraint. */ path?: Keys;
    /** Where it is; where the cable is now, if not given. */ position?: [Quantity, Quantity, Quantity];
    /** Its frame, where it is clamped; that of the cable now, if not given. */ frame?: Keys;
  }
  | {
    do: "set-length";
    /** The cable. */ cable: string;
    /** The piece between these two places alone. */ between?: [Quantity, Quantity];
    /** The new length. */ length?: Quantity;
    /** By how much. */ by?: Quantity;
    /** Pull until something is so. */ pull?: Pull;
  }
  | {
    do: "route";
    /** The cable. */ cable: string;
    /** Whether it finds its own length. */ on?: boolean;
    /** What it pays for its length: a tension. */ tension?: Quantity;
    /** The same as the length over which it bends. */ bend_length?: Quantity;
    /** The same from 0, straight, to 1, bent. */ slider?: number;
    /** Switched off: the length it keeps; the one it found where not given. */ length?: Quantity;
  }
  | {
    do: "set-zone";
    /** The cable. */ cable: string;
    /** Where the stretch begins. */ from: Quantity;
    /** Where it ends. */ to: Quantity;
    /** Keys of the zone; none makes the stretch like the rest of the cable. */ with?: Keys;
  }
  | {
    do: "set";
    /** Of which table. */ kind: Kind;
    /** Name of the thing, where there are several of its kind. */ name?: string;
    /** The key: `part`, `override.bend`, `zone[0].to`, `position[2]`. */ key: string;
    /** Its value; `null` takes the key out. */ value: unknown;
  }
  | {
    do: "add";
    /** What. */ kind: Kind;
    /** Of a connector: the part it is on. */ on?: string;
    /** Its keys. */ with: Keys;
  }
  | {
    do: "remove";
    /** Its name. */ name: string;
    /** What it is, where the name alone does not tell. */ kind?: Kind;
    /** Removes what uses it, too. */ with_users?: boolean;
  }
  | {
    do: "rename";
    /** Its name. */ name: string;
    /** Its new name. */ to: string;
    /** What it is, where the name alone does not tell. */ kind?: Kind;
  }
  | { do: "to-harness" }
  | {
    do: "all";
    /** The commands, in order. */ of: Command[];
  };

/** The keys that a kind of constraint has beside its name and kind. */
export type ConstraintKeys = {
  /** The kind. */ kind: string;
  /** Its keys. */ keys: string[];
};

/** Something that presses on a cable, or on a part with a shape. */
export type Contact = {
  /** The cable, or the obstacle that is the shape of the part. */ cable: string;
  /** The obstacle, or the other cable. */ by: string;
  /** Where the axis of the cable is, or the surface of the part, m. */ position: Vector;
  /** From what presses to the cable or the part. */ normal: Vector;
  /** Force on the cable or the part, N. */ force: Vector;
};

/** Where a hand goes. */
export type Drag = {
  /** Which hand. */ hand?: number;
  /** Position, m. */ to: Vector;
  /** How it is turned. */ frame?: Quaternion;
  /** What the frame that shows it carries. */ stamp?: number;
};

/** Energies in motion, J. */
export type Energy = {
  /** Of motion. */ kinetic: number;
  /** Of bending and twist. */ elastic: number;
  /** Of gravity and dead loads. */ potential: number;
  /** These together. */ total: number;
  /** Work done so far by hands and by what is led. */ work: number;
  /** Lost so far to damping and drag. */ dissipated: number;
};

/** What HTTP answers with instead of what was asked for. */
export type Failure = {
  /** What went wrong. */ error: Mistake;
};

/** A finding, and what it is about. */
export type Finding = {
  /** The cable; `null` for the whole. */ cable: string | null;
  /** Unit of value and limit. */ unit: string;
  /** The rule. */ rule: Rule;
  /** The outcome. */ verdict: Verdict;
  /**
   * The value there, in the rule's unit; infinite for the radius of a straight cable, not a number where there is
   * none: without equilibrium.
   */
  value: number | null;
  /** What is allowed there, where that is known. */ limit: number | null;
  /** How much of the limit is used: 1 is exactly at it. Infinite for a bend with no inner side left. */
  utilisation: number | null;
  /** Arc length of the place, m. */ s: number;
  /** Its position, m, world. */ position: Vector;
  /** Of a bend radius: the use that the limit is for and where both are measured; empty for other rules. */
  detail: string;
  /** The finding as a sentence. */ message: string;
};

/** A cable that was found. */
export type FoundCable = {
  /** Its length, m. */ length: number;
  /** Its diameter, m. */ diameter: number;
  /** The diameter of its bore, m. */ bore: number | null;
  /** Places along it, m. */ points: Vector[];
};

/** An end of cables that were found, or where they branch. */
export type FoundNode = {
  /** Where, m. */ position: Vector;
  /** Cables branch there. */ junction: boolean;
};

/** A scene of `GET /api/gallery`. */
export type GalleryEntry = {
  /** What requests call it. */ name: string;
  /** A line for headings. */ title: string;
  /** What it is about. */ description: string;
  /** How many cables it has. */ cables: number;
  /** A guided tour that begins with it. */ tour: string | null;
};

/** Where what was taken in a hand is. */
export type Grabbed = {
  /** m, world. */ position: Vector;
  /** How it is turned. */ frame: Quaternion;
};

/** What a handle holds. */
export type HandleHold = "clamped" | "pinned" | "free";

/** Something in a hand. */
export type Held = {
  /** Whose hand. */ client: number;
  /** Which hand. */ hand: number;
  /** What is in it. */ name: string;
};

/** Keys of a table of the scene file, with values as there. */
export type Keys = Record<string, unknown>;

/** The kinds of things in a scene. */
export type Kind =
  | "scene"
  | "world"
  | "solve"
  | "start"
  | "end"
  | "cable"
  | "port"
  | "part"
  | "connector"
  | "junction"
  | "clip"
  | "eye"
  | "bead"
  | "constraint"
  | "motion"
  | "load"
  | "pole"
  | "obstacle"
  | "bundle";

/** What the server takes at most. */
export type Limits = {
  /** Bytes of a message. */ message: number;
  /** Bytes of a mesh. */ mesh: number;
  /** Open sessions. */ sessions: number;
  /** Clients in all of them. */ clients: number;
};

/** What `POST /api/sessions/S/flexible` asks for. */
export type MakeFlexible = {
  /** The obstacle, a mesh. */ obstacle: string;
  /** What it is made of; without it nothing is made, only told. */ material?: string;
  /** Without loads it is straight, not as drawn. */ straight?: boolean;
  /** Two places on its surface, m: only the stretch between them. */ between?: [Vector, Vector];
};

/** A part of `GET /api/materials`. */
export type Material = {
  /** What scene files call it. */ name: string;
  /** What people call it. */ title: string;
  /** Its family. */ kind: PartKind;
  /** Of the outside, m. */ diameter: number;
  /** Bending stiffness, N m². */ bend: number;
  /** Twisting stiffness, N m². */ twist: number;
  /** kg/m. */ mass_per_length: number;
  /** Smallest bend when laid once. */ bend_static: BendLimit | null;
  /** Smallest bend when bent again and again. */ bend_dynamic: BendLimit | null;
  /** Where the figures come from. */ source: string;
};

/** What `POST /api/sessions/S/mesh` answers. */
export type MeshAdded = {
  /** What an obstacle calls it: the value of its `mesh`. */ mesh: string;
  /** How many triangles it has. */ triangles: number;
  /** What one unit of it is, as an obstacle writes it, where the file says so. */ unit?: string;
  /** Which of its axes points up, where the file says so. */ up_axis?: string;
};

/** What went wrong. */
export type Mistake = {
  /** A sentence for a person. */ message: string;
};

/** What happens between two changes. */
export type Mode = "statics" | "dynamics" | "off";

/** What changes about how the scene moves; what is not given stays as it is. */
export type ModeChange = {
  /** Statics, dynamics or neither. */ mode?: Mode;
  /** Whether motion goes on by itself. */ playing?: boolean;
  /** Seconds per step. */ step?: number;
  /** Drag of the air. */ drag?: number;
  /** Damping of strains, s. */ delay?: number;
};

/** Nothing more is to be said. */
export type Nothing = Record<string, never>;

/** What cables cannot enter. */
export type Obstacle = {
  /** Its name, which a thing has too: that says where it is. */ name: string;
  /** What it is. */ form: ObstacleForm;
  /** Its radius, m, where it has one. */ radius: number | null;
  /** Its whole length, m, where it has one; of a capsule that of the straight part. */ length: number | null;
  /** Of a box: its whole lengths, m. */ size: Vector | null;
  /** Of a mesh: what `GET …/mesh/KEY` calls it. */ mesh: string | null;
  /** Of a mesh: its triangles. */ triangles: number | null;
  /** Coulomb's coefficient of cables on it. */ friction: number;
};

/** What an obstacle is, in its own axes: bars and tubes along z, a plane solid below z = 0. */
export type ObstacleForm = "plane" | "sphere" | "cylinder" | "capsule" | "box" | "tube" | "mesh";

/** What a page asks for. */
export type Op =
  | {
    op: "command";
    /** What. */ command: Command;
  }
  | { op: "undo" }
  | { op: "redo" }
  | {
    op: "preview";
    /** Which one. */ command: Command;
  }
  | {
    op: "end-preview";
    /** Does it for good. */ keep?: boolean;
  }
  | {
    op: "grab";
    /** Which hand. */ hand?: number;
  } & (
    | { name: string }
    | {
      /** The cable. */ cable: string;
      /** Arc length, m. */ at: number;
    })
  | { op: "drag" } & Drag
  | {
    op: "drop";
    /** Which hand. */ hand?: number;
    /** Whether what was moved stays. */ keep?: boolean;
  }
  | { op: "mode" } & ModeChange
  | { op: "step" }
  | {
    op: "release";
    /** What. */ name: string;
  }
  | { op: "rewind" }
  | {
    op: "record";
    /** Whether it records from now on. */ on: boolean;
  }
  | {
    op: "scrub";
    /** Which one. */ frame: number | null;
  }
  | {
    op: "save";
    /** Under another name, in the folder of the studio. */ name?: string;
    /** What is there under that name is replaced. */ replace?: boolean;
  }
  | { op: "revert" }
  | { op: "checks" }
  | { op: "ping" };

/** What a change did. */
export type Outcome = {
  /** What changed, a line each. */ changes: string[];
  /** How the scene solved after it, a line; `null` where nothing was solved. */ status: string | null;
};

/** What family a part belongs to. */
export type PartKind = "wire" | "cable" | "bundle" | "hose" | "ribbon" | "rope" | "fibre";

/** A pole: round, without ends. */
export type Pole = {
  /** Its name. */ name: string;
  /** A point of its axis, m. */ through: Vector;
  /** Unit direction of its axis. */ axis: Vector;
  /** Radius at which the centre of a cable touches it, m. */ radius: number;
};

/** When pulling a cable tight, or letting it out, ends. */
export type Pull =
  | { tension: Quantity }
  | { moves: {
    /** Junction, part, clip, eye or bead. */ point: string;
    /** The distance from where it is. */ by: Quantity;
    /** Whether the cable is let out rather than pulled in. */ out?: boolean;
  } };

/** A quantity: text with a unit, or a number in SI. */
export type Quantity = number | string;

/** x, y, z, w: material to world. */
export type Quaternion = [number, number, number, number];

/** Where a bend radius is measured. */
export type RadiusReference = "centre" | "inner";

/** How much is recorded. */
export type Recorded = {
  /** Frames. */ frames: number;
};

/** The answer to a request. */
export type Reply =
  | {
    /** What came of it: see `Answers`. */ ok: unknown;
    /** The `id` of the request. */ reply: unknown;
  }
  | {
    /** Why. */ error: Mistake;
    /** The `id` of the request; `null` where it could not be read. */ reply: unknown;
  };

/** A rod model of the engine. */
export type RodModel = "mixed" | "nodal" | "helix" | "clothoid" | "spline";

/** What is checked. */
export type Rule =
  | "equilibrium"
  | "stability"
  | "bend_radius"
  | "tension"
  | "twist"
  | "strain"
  | "clearance"
  | "contact_force"
  | "contact_pressure"
  | "chafing_work"
  | "resolution"
  | "turns"
  | "piece_length";

/** Where a scene was saved. */
export type Saved = {
  /** The file; `null` where nothing was written. */ file: string | null;
  /** Why there, or why not. */ why: string;
};

/** A scene as a page of the studio shows it. */
export type SceneView = {
  /** Frames recorded in motion. */ recorded: number;
  /** Changes whenever anything here does; frames name the one they belong to. */ revision: number;
  /** Name of the scene. */ name: string;
  /** A line for headings. */ title: string;
  /** What it is about. */ description: string | null;
  /** The text of the file. */ text: string;
  /** Whether it is a scene of one cable. */ single: boolean;
  /** Gravity, m/s². */ gravity: Vector;
  /** How many changes can be undone. */ undo: number;
  /** How many can be done again. */ redo: number;
  /** What happens between changes. */ mode: Mode;
  /** Whether time runs. */ playing: boolean;
  /** The cables. */ cables: Cable[];
  /** What holds them. */ things: Thing[];
  /** Poles that they keep out of. */ poles: Pole[];
  /** What they cannot enter; the things of the same names say where it is. */ obstacles: Obstacle[];
  /** Every table of the file. */ tables: TableView[];
  /** The keys that tables may have. */ keys: Record<string, string[]>;
  /** The kinds of constraints. */ constraints: ConstraintKeys[];
};

/** What the section of a cable is given by. */
export type SectionKind = "part" | "section" | "measured" | "bundle";

/** What happens, told to everybody in a session. */
export type ServerEvent =
  | {
    event: "welcome";
    /** What this client is called from now on. */ client: number;
    /** Name of the session. */ session: string;
    /** Version of the server. */ version: string;
  }
  | {
    event: "scene";
    /** All there is to show. */ scene: SceneView;
  }
  | {
    event: "checks";
    /** The findings. */ findings: Finding[];
  }
  | {
    event: "did";
    /** Who. */ client: number;
    /** What: the word of a command, `undo`, `redo` or `revert`. */ verb: string;
    /** What changed, a line each. */ changes: string[];
    /** How the scene solved after it, a line. */ status: string | null;
  }
  | {
    event: "clients";
    /** How many. */ count: number;
    /** What is in their hands. */ hands: Held[];
  }
  | {
    event: "notice";
    /** A sentence. */ message: string;
  };

/** A session of `GET /api/sessions`. */
export type SessionEntry = {
  /** Its name. */ name: string;
  /** The title of its scene; `null` where it is not open. */ title: string | null;
  /** How many are in it. */ clients: number;
  /** How many changes can be undone. */ changes: number;
};

/** A cable that is too short. */
export type Shortage = {
  /** Which one. */ cable: string;
  /** By how much, m. */ missing: number;
  /** From where to where on it, arc lengths, m: there it would have to be longer. */ between: [number, number];
};

/** An end of a cable. */
export type Side = "from" | "to";

/** How a solve ended. */
export type Status =
  | "converged"
  | "too_short"
  | "conflict"
  | "iteration_limit"
  | "no_progress"
  | "folded"
  | "numerical_failure"
  | "out_of_time"
  | "cancelled"
  | "energy_gained";

/** One table of a scene file. */
export type TableView = {
  /** What it is, as commands say it. */ kind: Kind;
  /** What commands call it; empty where there is only one of its kind. */ name: string;
  /** Its keys with their values as in the file. */ keys: Keys;
};

/** What holds cables. */
export type Thing = {
  /** What it is. */ kind: ThingKind;
  /** Its name. */ name: string;
  /** Index among the poses of a frame. */ anchor: number;
  /** What it holds. */ hold: HandleHold;
  /** The axes of the world along which it may move. */ slides: [boolean, boolean, boolean];
  /** Its mass, kg. */ mass: number;
  /** The cable it is on. */ cable: string | null;
  /** Arc length on its cable, m. */ at: number | null;
  /** Of a pulley or a bead, m. */ radius: number | null;
};

/** The kinds of what holds cables. */
export type ThingKind =
  | "port"
  | "part"
  | "connector"
  | "junction"
  | "clip"
  | "eye"
  | "pulley"
  | "bead"
  | "start"
  | "end"
  | "obstacle";

/** What a frame says beside shapes: the proof, and what goes on. */
export type Trailer = {
  /** How the solve ended. */ status: Status;
  /** The same as a sentence, with what is missing. */ line: string;
  /** Newton iterations. */ iterations: number;
  /** Largest unbalanced force, N. */ residual: number;
  /** Largest violation of an end or a constraint, m. */ violation: number;
  /** Directions that release energy. */ unstable: number;
  /** What the last solve or step took, ms. */ solve_ms: number;
  /** Time in motion, s. */ time: number | null;
  /** Energies in motion, J. */ energy: Energy | null;
  /** Cables that are too short. */ short: Shortage[];
  /** Turns of every cable from its beginning to its end. */ turns: number[];
  /** What presses on cables. */ contacts: Contact[];
  /** Where a cable is nearest to an obstacle. */ clearance: Clearance | null;
  /** Length of every cable now, m. */ lengths: number[];
  /** The stamp of the last drag of every client that is in this frame. */ stamps: Record<string, number>;
  /** Whether this is what would happen. */ preview: boolean;
  /** The recorded frame that is shown. */ scrub: number | null;
};

/** x, y, z. */
export type Vector = [number, number, number];

/** The outcome of a rule. */
export type Verdict = "no_limit" | "pass" | "warn" | "fail";

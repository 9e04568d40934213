/** What the API answers with; the same names as in its OpenAPI document. */

/** x1, y1, x2, y2 in pixels of the drawing. */
export type Box = [number, number, number, number];

export interface Joint {
  name: string;
  parent: string | null;
  x: number;
  y: number;
  score: number;
}

/** Joints in figure space, parents before children; the first is the root. */
export interface Skeleton {
  joints: Joint[];
}

/** A skeleton to lay into a figure; places are shares of the box of its paint. */
export interface SkeletonTemplate {
  name: string;
  title: string;
  joints: { name: string; parent: string | null; x: number; y: number }[];
}

/** A mask as COCO's compressed run lengths. */
export interface RunLengths {
  size: [number, number];
  counts: string;
}

export interface FigureAnnotation {
  id: string;
  box: Box;
  score: number;
  mask: RunLengths | null;
  skeleton: Skeleton | null;
  /** Draw order of limbs, by the joint at which each begins; what is not named goes by itself. */
  limbs: Record<string, Depth>;
  /** Whether it stays on the paper and does not move. */
  hidden: boolean;
}

export type Depth = "front" | "back";

export interface Annotation {
  width: number;
  height: number;
  figures: FigureAnnotation[];
  rotation: 0 | 90 | 180 | 270;
  revision: number;
  /** The job that completes figures whose mask or skeleton is null. */
  job: string | null;
}

export interface DrawingDocument {
  id: string;
  name: string;
  job: string;
  created: number;
  /** Seconds since 1970; null when it is kept until it is deleted. */
  expires: number | null;
  picture: string | null;
  width: number | null;
  height: number | null;
}

export type AnimationFormat =
  | "gif"
  | "mp4"
  | "webm"
  | "webp"
  | "apng"
  | "png"
  | "frames"
  | "sheet"
  | "joints"
  | "character"
  | "gltf"
  | "track"
  | "backdrop"
  | "previews";

export interface AnimationFile {
  format: AnimationFormat;
  width: number;
  height: number;
  fps: number;
  frame_count: number;
  bytes: number;
  given_up: string;
}

export type BackgroundKind = "colour" | "transparent" | "paper" | "picture";

/** What one figure does that the others do not; what is left out goes by the request. */
export interface FigureWish {
  motion?: string | null;
  mirror?: boolean | null;
  /** Seconds after the others. */
  start?: number;
  speed?: number;
}

/** What is left out is as usual. */
export interface AnimationRequest {
  motion: string;
  formats: AnimationFormat[];
  figures?: Record<string, FigureWish>;
  playback?: {
    speed?: number;
    mirror?: boolean;
    trim?: [number, number] | null;
    /** Frames a second at most. */
    fps?: number | null;
    stay?: boolean;
    loop?: boolean;
    then?: string[];
    blend?: { motion: string; share?: number } | null;
  };
  background?: { kind?: BackgroundKind; colour?: [number, number, number]; shadow?: boolean };
  side?: number;
  /** How often films that repeat themselves do so; 0 is for ever. */
  plays?: number;
  overlays?: string[];
  still?: number;
  max_bytes?: number | null;
}

export interface AnimationDocument {
  id: string;
  drawing: string;
  request: AnimationRequest;
  /** Of the annotation that it was made of. */
  revision: number;
  job: string;
  created: number;
  files: AnimationFile[];
}

export type Step =
  "waiting" | "reading" | "detecting" | "outlining" | "rigging" | "moving" | "drawing" | "done";

export interface JobEvent {
  job: string;
  state: "queued" | "running" | "done" | "failed";
  step: Step;
  progress: number;
  problem: { code: string; message: string; page: string; about: string[] } | null;
  /** What is known so far of a drawing that is being read. */
  found: Annotation | null;
}

export interface MotionInfo {
  name: string;
  title: string;
  tags: string[];
  duration: number;
  fps: number;
  loop: boolean;
}

/** A motion that was handed in; once its job is done, it is among the motions. */
export interface OwnMotion {
  name: string;
  title: string;
  job: string;
  created: number;
  expires: number | null;
}

/** That whoever knows its address may look at an animation. */
export interface Share {
  id: string;
  animation: string;
  created: number;
  expires: number;
  url: string;
}

/** What is shared, as everybody sees it. */
export interface SharedAnimation {
  motion: string;
  width: number | null;
  height: number | null;
  expires: number;
  files: { format: AnimationFormat; url: string; bytes: number }[];
}

export interface Owner {
  has_drawings: boolean;
  /** Days for which a drawing is kept; null when it is kept until it is deleted. */
  keep_days: number | null;
  learning: boolean;
}

export interface Health {
  status: "ok";
  version: string;
  upload_bytes: number;
  learning: boolean;
}

/** A page of the app: puts itself into `root` and returns how to take it away again. */
export type Mount = (root: HTMLElement, params: Params) => () => void;

export interface Params {
  id?: string;
  /** What is mended, on the page that mends. */
  tool?: string;
  query: URLSearchParams;
}

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
  skeleton: { joints: Joint[] } | null;
}

export interface Annotation {
  width: number;
  height: number;
  figures: FigureAnnotation[];
  rotation: 0 | 90 | 180 | 270;
  revision: number;
}

export interface DrawingDocument {
  id: string;
  name: string;
  job: string;
  created: number;
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
  | "backdrop";

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

/** What is left out is as usual. */
export interface AnimationRequest {
  motion: string;
  formats: AnimationFormat[];
  playback?: {
    speed?: number;
    mirror?: boolean;
    trim?: [number, number] | null;
    stay?: boolean;
    loop?: boolean;
    then?: string[];
  };
  background?: { kind?: BackgroundKind; colour?: [number, number, number]; shadow?: boolean };
  side?: number;
  overlays?: string[];
  still?: number;
  max_bytes?: number | null;
}

export interface AnimationDocument {
  id: string;
  drawing: string;
  request: AnimationRequest;
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
  problem: { code: string; message: string; page: string } | null;
}

export interface MotionInfo {
  name: string;
  title: string;
  tags: string[];
  duration: number;
  fps: number;
  loop: boolean;
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
  motion?: string;
}

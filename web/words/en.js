/** Every word that the page says, in English; `zh.js` says the same in Chinese. */

export const words = {
  appName: "Animator",
  title: "Make a drawing dance",

  upload: {
    heading: "Make a drawing dance",
    intro:
      "Take a photo of somebody you drew: a child, a robot, a monster. A few seconds later it waves, jumps and dances.",
    drop: "Drop a drawing here",
    dropHint: "or paste it, or",
    choose: "Choose a picture",
    camera: "Take a photo",
    letGo: "Let go, I have it!",
    sending: "Sending your drawing …",
    formats: "PNG, JPEG, HEIC, WebP and more",
    samplesHeading: "No drawing at hand? Borrow one of these",
    samples: {
      dancer: "The dancer",
      robot: "The robot",
      monster: "The monster",
      hat: "The man with the hat",
    },
    trySample: (/** @type {string} */ name) => `Try ${name}`,
    tipsHeading: "What works best",
    tips: [
      ["The whole figure", "Head to feet in the picture, with nobody in front of it."],
      ["Room around the arms", "Arms and legs that do not touch the body move best."],
      ["Plain paper, good light", "Lay the paper flat and keep your shadow off it."],
    ],
  },

  steps: {
    waiting: "Waiting for a turn",
    reading: "Reading the picture",
    detecting: "Finding the figure",
    outlining: "Cutting it out",
    rigging: "Finding the joints",
    moving: "Teaching it to move",
    drawing: "Drawing the pictures",
    done: "Done",
  },

  result: {
    workingHeading: "One moment …",
    workingIntro: "Your drawing is waking up.",
    doneHeading: (/** @type {string} */ motion) => (motion ? `It can ${motion}!` : "It moves!"),
    motions: "What shall it do?",
    learning: (/** @type {string} */ motion) => `Practising “${motion}” …`,
    motionReady: "ready",
    another: "Another drawing",
    remove: "Delete this drawing",
    removeQuestion: "Delete this drawing and its animations from the server?",
    removeHint: "They cannot be brought back.",
    removeYes: "Yes, delete",
    removeNo: "No, keep it",
    pause: "Pause",
    play: "Play",
    pictureAlt: (/** @type {string} */ name) => `Your drawing, ${name}`,
    animationAlt: (/** @type {string} */ motion) => `Your figure, moving: ${motion}`,
    found: (/** @type {number} */ count) =>
      count === 1
        ? "There it is! I found one figure."
        : `There they are! I found ${count} figures.`,
  },

  playback: {
    speed: "Speed",
    speeds: ["Slow", "Normal", "Fast"],
    background: "Behind it",
    backdrops: { white: "White", paper: "Its paper", transparent: "Nothing" },
    mirror: "Mirrored",
    loop: "Over and over",
  },

  exports: {
    heading: "Keep it",
    more: "More ways to keep it",
    making: (/** @type {string} */ title) => `Making: ${title}`,
    made: "ready",
    cancel: "Cancel",
    formats: /** @type {Record<string, [string, string]>} */ ({
      gif: ["Save as GIF", "for chats and mail"],
      mp4: ["Save as video", "MP4, never see-through"],
      webm: ["Film for web pages", "WebM, can be see-through"],
      webp: ["Sticker", "WebP, small, can be see-through"],
      apng: ["Sticker, nothing lost", "APNG, large"],
      png: ["Picture of this moment", "PNG, does not move"],
      sheet: ["Sprite sheet", "PNG and JSON, for games"],
      joints: ["Places of the joints", "JSON, for programs"],
      character: ["The figure itself", "for AnimatedDrawings"],
      gltf: ["3-D model", "glTF, for Blender and games"],
    }),
  },

  // What follows “It can …”.
  motions: /** @type {Record<string, string>} */ ({
    ballet: "dance ballet",
    bow: "bow",
    breathe: "breathe",
    cartwheel: "turn cartwheels",
    catch: "catch",
    cheer: "cheer",
    climb: "climb",
    cry: "cry",
    dab: "dab",
    dance: "dance",
    disco: "dance disco",
    fall: "fall and get up",
    floss: "floss",
    fly: "fly",
    guitar: "play guitar",
    hop: "hop",
    hula: "dance hula",
    jump: "jump",
    "jumping-jacks": "do jumping jacks",
    kick: "kick",
    laugh: "laugh",
    "look-around": "look around",
    march: "march",
    punch: "box",
    robot: "dance like a robot",
    run: "run",
    sit: "sit down",
    skate: "skate",
    skip: "skip",
    sleep: "sleep",
    sneak: "sneak",
    spin: "spin",
    swim: "swim",
    think: "think",
    throw: "throw",
    tiptoe: "tiptoe",
    walk: "walk",
    wave: "wave",
    zombie: "be a zombie",
  }),

  server: {
    lost: "The server does not answer. Your drawing is safe here, and I keep trying.",
    back: "The server is back.",
  },

  footer: {
    privacy: "Your drawing goes to this server and nowhere else. No cookies, no accounts.",
    api: "For developers",
  },

  lost: {
    heading: "There is nothing here",
    text: "This drawing was deleted, or the address is not quite right.",
  },

  retry: "Try again",

  /** One entry a code of the API; `tips` are shown as a list. */
  errors: /** @type {Record<string, { title: string, text?: string, tips?: string[] }>} */ ({
    no_figure_found: {
      title: "I could not find a figure",
      text: "There may be one, but I did not see it. These help:",
      tips: [
        "Show the whole figure, from head to feet.",
        "Let it fill most of the picture; cut away the table around the paper.",
        "Use light from the side, without a shadow on the paper.",
        "Faint pencil? Trace the lines once with a darker pen.",
      ],
    },
    unsupported_image: { title: "I cannot read this file" },
    invalid_image: {
      title: "This picture seems to be broken",
      text: "It could not be opened. Take the photo again, or choose another picture.",
    },
    image_too_large: { title: "The size of this picture does not work" },
    empty_mask: {
      title: "I could not cut the figure out",
      text: "Its lines are too faint to follow. A darker pen or more light helps.",
    },
    invalid_skeleton: {
      title: "I could not find its arms and legs",
      text: "A drawing with arms and legs away from the body works best.",
    },
    unknown_motion: { title: "I do not know this movement", text: "Pick another one." },
    invalid_motion: { title: "This movement does not fit", text: "Pick another one." },
    encoding_failed: {
      title: "The animation could not be saved",
      text: "Try again, or pick another movement.",
    },
    model_unavailable: {
      title: "I am not quite awake yet",
      text: "The part that looks at drawings is still starting. Try again in a moment.",
    },
    job_failed: {
      title: "Something went wrong on our side",
      text: "It was not your drawing. Try again in a moment.",
    },
    not_found: { title: "There is nothing here" },
    offline: {
      title: "The server does not answer",
      text: "Your drawing is still here. Try again when the connection is back.",
    },
    other: { title: "That did not work", text: "Please try again." },
  }),
};

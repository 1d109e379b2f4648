/** Paints a piece of text. */
export type Paint = (text: string) => string

/** The paints of a line. */
export interface Colours {
  readonly dim: Paint
  readonly good: Paint
  readonly warn: Paint
  readonly bad: Paint
}

const plain: Paint = text => text
const sgr =
  (code: number, end: number): Paint =>
  text =>
    `\u001b[${code}m${text}\u001b[${end}m`

export const noColours: Colours = { dim: plain, good: plain, warn: plain, bad: plain }

/** As terminals know them (ECMA-48, select graphic rendition). */
export const terminalColours: Colours = {
  dim: sgr(2, 22),
  good: sgr(32, 39),
  warn: sgr(33, 39),
  bad: sgr(31, 39),
}

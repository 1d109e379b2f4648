/** One measure over the minutes; `null` where it has no value. */
export interface ChartLine {
  readonly name: string
  readonly values: readonly (number | null)[]
}

/** Where things are in the drawing, in pixels. */
export interface ChartLayout {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  x(index: number): number
  y(value: number): number
}

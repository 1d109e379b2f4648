/** One measure over the minutes; `null` where it has no value. */
export interface ChartLine {
  readonly name: string
  readonly values: readonly (number | null)[]
}

/** The parts of time that the values are of. */
export interface ChartUnit {
  /** Such as `minute`. */
  readonly name: string
  /** Where a part begins, on the axis. */
  axis(at: number): string
  /** The same in full. */
  text(at: number): string
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

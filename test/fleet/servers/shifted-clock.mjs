// Imported before a program: its `Date` is ahead of the machine's clock by CLOCK_SHIFT_MS milliseconds. Its timers are not.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS)
if (!Number.isFinite(shiftMs)) throw new Error('CLOCK_SHIFT_MS is not a number.')
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}

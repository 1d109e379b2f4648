/**
 * How far a streamed answer has come. It only moves on: `open` to `whole` to `ended`, or from `open` to either.
 *
 * - `open`: what ends the vendor's answers has not come. A body that ends here was cut off.
 * - `whole`: it has come; what may still follow counts tokens, or is an end mark that not everybody sends.
 * - `ended`: the last that the vendor says has come. Nothing more is read.
 */
export type Progress = 'open' | 'whole' | 'ended'

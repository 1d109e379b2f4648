/**
 * The tokens that a part of a message is reserved for in the place of its bytes. Vendors count images by their size in
 * pixels, audio by its length, files by their pages: none of that is known before the answer. What a vendor counted is
 * settled in the end.
 *
 * | Part | Tokens |
 * |---|---|
 * | image, `detail: 'low'` | 100 |
 * | image | 1,600 |
 * | audio | 2,000 |
 * | file, but for text, which counts by its bytes | 8,000 |
 */
export const mediaAllowance = { lowImage: 100, image: 1_600, audio: 2_000, file: 8_000 } as const

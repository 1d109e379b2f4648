/** The threshold at which Google blocks one category of harmful content. */
export interface SafetySetting {
  /** Such as `HARM_CATEGORY_HARASSMENT`. */
  readonly category: string
  /** Such as `BLOCK_ONLY_HIGH` or `OFF`. */
  readonly threshold: string
}

/** Throws `TypeError` for invalid settings. */
export function checkSafetySettings(settings: readonly SafetySetting[] | undefined, owner: string): void {
  if (settings === undefined) return
  const fits = (one: unknown): boolean =>
    typeof one === 'object' &&
    one !== null &&
    'category' in one &&
    'threshold' in one &&
    typeof one.category === 'string' &&
    typeof one.threshold === 'string'
  if (Array.isArray(settings) && settings.every(fits)) return
  throw new TypeError(
    `${owner}: safetySettings has to be a list of { category, threshold }, such as { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }.`,
  )
}

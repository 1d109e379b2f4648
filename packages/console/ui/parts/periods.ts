const hourMs = 3_600_000

/** The periods up to now that can be chosen, by the name in the address. */
export const periods: Readonly<Record<string, { readonly text: string; readonly ms: number }>> = {
  '15m': { text: '15 minutes', ms: hourMs / 4 },
  '1h': { text: '1 hour', ms: hourMs },
  '24h': { text: '24 hours', ms: 24 * hourMs },
  '7d': { text: '7 days', ms: 7 * 24 * hourMs },
  '30d': { text: '30 days', ms: 30 * 24 * hourMs },
  '90d': { text: '90 days', ms: 90 * 24 * hourMs },
}

/** The periods as the options of a `Choice`. */
export const periodOptions: readonly (readonly [string, string])[] = Object.entries(periods).map(
  ([name, { text }]) => [name, text],
)

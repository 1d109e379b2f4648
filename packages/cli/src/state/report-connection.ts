/** Tells once that a server cannot be reached, and once that it can again. What a client says may hold a password. */
export function connectionNews(
  server: string,
  tell: (text: string) => void,
): { readonly failed: (error: unknown) => void; readonly works: () => void } {
  let isAway = false
  return {
    failed: error => {
      if (isAway) return
      isAway = true
      tell(`${server} does not answer${codeOf(error)}. It is tried again.`)
    },
    works: () => {
      if (!isAway) return
      isAway = false
      tell(`${server} answers again.`)
    },
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
}

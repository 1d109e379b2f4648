import { codeOf } from '../command-line/error-code.ts'
/** Tells once that a server cannot be reached, and once that it can again. What a client says may hold a password. */
export function reportConnection(
  server: string,
  log: (text: string) => void,
): { readonly failed: (error: unknown) => void; readonly works: () => void } {
  let isAway = false
  return {
    failed: error => {
      if (isAway) return
      isAway = true
      const code = codeOf(error)
      log(`Cannot reach ${server}${code === undefined ? '' : ` (${code})`}. Retrying.`)
    },
    works: () => {
      if (!isAway) return
      isAway = false
      log(`Reconnected to ${server}.`)
    },
  }
}

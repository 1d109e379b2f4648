/**
 * Whether colours may be written to a stream, by the variables that people set for that: FORCE_COLOR goes before
 * NO_COLOR, and both before what the stream is.
 */
export function usesColours(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (none !== undefined && none !== '') return false
  return isTerminal && terminal !== 'dumb'
}

/** What a client of a simulation writes into its prompt, so that the modelled upstream knows whose call it gets. */
export interface PromptMarker {
  /** The number of the client's request, from 0. */
  readonly request: number
  /** 0 for the first attempt of the client, 1 for its first retry. */
  readonly attempt: number
  readonly promptTokens: number
  /** How many tokens the model would write without a bound. */
  readonly completionTokens: number
}

export function markerText({ request, attempt, promptTokens, completionTokens }: PromptMarker): string {
  return `simulated ${request}.${attempt} in ${promptTokens} out ${completionTokens}.`
}

/** Reads the marker in the body of a request; `undefined` if it has none, because something has replaced its text. */
export function markerIn(body: string): PromptMarker | undefined {
  const found = /simulated (\d+)\.(\d+) in (\d+) out (\d+)\./.exec(body)
  if (found === null) return undefined
  return {
    request: Number(found[1]),
    attempt: Number(found[2]),
    promptTokens: Number(found[3]),
    completionTokens: Number(found[4]),
  }
}

import type { UpstreamResponse } from '@sluice/core/provider'

/** A vendor's answer without a network. */
export function inMemory(contentType: string, pieces: readonly Uint8Array[]): UpstreamResponse {
  return {
    status: 200,
    headers: new Headers({ 'content-type': contentType }),
    body: (async function* () {
      yield* pieces
    })(),
    text: async () => Buffer.concat([...pieces]).toString('utf8'),
  }
}

import { type GatewayResponse, gatewayResponseKey } from '@sluice/core/adapter'

/** A response as the gateway makes it for adapters that read its parts. */
export function plain(answer: Partial<GatewayResponse>): Response {
  const response = new Response('the native body was read')
  const whole = { status: 200, headers: {}, body: '', ...answer }
  return Object.defineProperty(response, gatewayResponseKey, { value: whole })
}

/** Pieces of text that the test hands out one by one; tells whether it was left. */
export function pieces() {
  let give: ((result: IteratorResult<string>) => void) | undefined
  let fail: ((error: unknown) => void) | undefined
  const asked: (() => void)[] = []
  const source = {
    left: 0,
    given: 0,
    next: () =>
      new Promise<IteratorResult<string>>((resolve, reject) => {
        give = resolve
        fail = reject
        asked.shift()?.()
      }),
    return: async (): Promise<IteratorResult<string>> => {
      source.left++
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => source,
    async put(value: string) {
      if (give === undefined) await new Promise<void>(resolve => asked.push(resolve))
      const taken = give!
      give = undefined
      taken({ done: false, value })
    },
    async end() {
      if (give === undefined) await new Promise<void>(resolve => asked.push(resolve))
      give!({ done: true, value: undefined })
    },
    async break(error: unknown) {
      if (give === undefined) await new Promise<void>(resolve => asked.push(resolve))
      fail!(error)
    },
  }
  return source
}

import type { BodyEdit, Capabilities, GenerateRequest, JsonObject, NativeCall } from '@sluice/core/provider'

/** What a test's caller sends besides the body. */
export interface NativeGiven {
  readonly model?: string
  readonly edits?: readonly BodyEdit[]
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
  readonly capabilities?: Capabilities
  /** Default `messages`. */
  readonly dialect?: string
}

/** A call with the body of a caller who speaks the vendor's dialect, for tests. Only what a provider reads then is there. */
export function nativeCall(
  text: string,
  { model = 'upstream-model', dialect = 'messages', ...given }: NativeGiven = {},
): NativeCall {
  const body = JSON.parse(text) as JsonObject
  const unread = () => {
    throw new Error('A request that is passed on is not translated.')
  }
  const request: GenerateRequest = {
    dialect,
    model: String(body.model),
    stream: body.stream === true,
    body,
    settings: unread,
    turns: unread,
    chat: unread,
    losses: unread,
    pathOf: path => path,
    withSettings: unread,
    withMaxOutput: unread,
  }
  return {
    get input() {
      return unread()
    },
    request,
    model,
    text,
    edits: [],
    headers: {},
    ...given,
  }
}

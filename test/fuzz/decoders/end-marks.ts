import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'

const marks: Readonly<Record<Wire, RegExp>> = {
  // Some vendors of this protocol send no `[DONE]`: there it is each choice's reason to end.
  chat: /(?:^|[\r\n])data: ?\[DONE\]|"finish_reason":"/,
  messages: /message_stop/,
  generate: /"finishReason":"|"blockReason":"/,
  converse: /messageStop/,
  responses: /response\.(?:completed|incomplete)/,
}

/** Whether the bytes hold a vendor's own word that its answer has ended, or are all of it in one piece. */
export function holdsEndMark(bytes: Uint8Array, wire: Wire): boolean {
  const text = Buffer.from(bytes).toString('utf8')
  return marks[wire].test(text) || isJson(text)
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text.replace(/^\ufeff/, '')) === 'object'
  } catch {
    return false
  }
}

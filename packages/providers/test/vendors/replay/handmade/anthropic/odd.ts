import type { Handmade } from '../../handmade.ts'
import { told } from '../../told.ts'
import { errors } from './events.ts'

export const odd: readonly Handmade[] = [
  ['whole: a page in place of the answer', '<html>Welcome</html>'],
  ['whole: an answer that breaks off', '{"type":"message","content":[{"type":"text","te'],
  ['whole: no message', '{"type":"model","id":"claude-haiku-4-5"}'],
].map(([name, body]) => ({
  name: name!,
  source: errors,
  stream: false,
  sent: { status: 200, headers: { 'content-type': 'application/json' }, bytes: Buffer.from(body!) },
  expected: { error: told.failed },
}))

import type { Expected } from '../../expected.ts'
import type { Handmade } from '../../handmade.ts'
import { sseOf } from '../sse-of.ts'
import { close, delta, ending, open, said, start, whole } from './events.ts'

const { asked, model }: Expected = {
  model: 'claude-sonnet-4-20250514',
  asked: {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'person', schema: { type: 'object', properties: { name: { type: 'string' } } } },
    },
  },
}
export const asTool: readonly Handmade[] = [
  {
    name: 'whole: a structured answer as the input of a forced tool',
    source: 'Messages API, Tool use, JSON output',
    stream: false,
    sent: whole(
      [{ type: 'tool_use', id: 'toolu_1', name: 'json', input: { name: 'Bob', of: [1, null] } }],
      'tool_use',
    ),
    expected: { ...said('{"name":"Bob","of":[1,null]}'), asked, model },
  },
  {
    name: 'stream: a structured answer as the input of a forced tool',
    source: 'Messages API, Tool use, JSON output',
    stream: true,
    sent: sseOf([
      start,
      open(0, { type: 'tool_use', id: 'toolu_1', name: 'json', input: {} }),
      ...['', '{"name": "B', 'ob"}'].map(partial_json =>
        delta(0, { type: 'input_json_delta', partial_json }),
      ),
      close(0),
      ...ending('tool_use'),
    ]),
    expected: { ...said('{"name": "Bob"}'), asked, model },
  },
]

import type { Handmade } from '../../handmade.ts'
import { told } from '../../told.ts'
import { jsonOf } from '../json-of.ts'
import { errors, spent } from './frames.ts'

export const odd: readonly Handmade[] = (
  [
    [
      'whole: an error of the framework under a status of success',
      { Output: { __type: 'com.amazon.coral.service#UnknownOperationException' }, Version: '1.0' },
    ],
    ['whole: no output', { metrics: { latencyMs: 5 }, stopReason: 'end_turn', usage: spent }],
    ['whole: no object', 'Welcome'],
  ] as const
).map(([name, body]) => ({
  name,
  source: errors,
  stream: false,
  sent: jsonOf(body),
  expected: { error: told.failed },
}))

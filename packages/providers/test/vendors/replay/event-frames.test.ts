import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { errorFrame, eventFrame, exceptionFrame, frame } from './event-frames.ts'

const require = createRequire(import.meta.url)

/** Amazon's reader of its frames. In a process of its own: under the conditions of tests it cannot be loaded. */
const reader = `
  const { EventStreamCodec } = require(process.argv[1])
  const codec = new EventStreamCodec(bytes => Buffer.from(bytes).toString(), text => Buffer.from(text))
  const read = process.argv.slice(2).map(frame => {
    const { headers, body } = codec.decode(Buffer.from(frame, 'base64'))
    const texts = Object.entries(headers).map(([name, { type, value }]) => [name, type, value])
    return { headers: texts, body: Buffer.from(body).toString() }
  })
  console.log(JSON.stringify(read))
`

it('are those that Amazon reads', () => {
  const payload = { text: 'Grüße 🙂', p: 'ab' }
  const frames = [
    eventFrame('messageStart', payload),
    exceptionFrame('throttlingException', { message: 'Slow down.' }),
    errorFrame('InternalFailure', 'Sorry.'),
    frame({}),
  ]
  const read = execFileSync(
    process.execPath,
    [
      '-e',
      reader,
      require.resolve('@smithy/eventstream-codec'),
      ...frames.map(bytes => Buffer.from(bytes).toString('base64')),
    ],
    { env: {}, encoding: 'utf8' },
  )
  const json = ['string', 'application/json']
  expect(JSON.parse(read)).toEqual([
    {
      headers: [
        [':event-type', 'string', 'messageStart'],
        [':content-type', ...json],
        [':message-type', 'string', 'event'],
      ],
      body: JSON.stringify(payload),
    },
    {
      headers: [
        [':exception-type', 'string', 'throttlingException'],
        [':content-type', ...json],
        [':message-type', 'string', 'exception'],
      ],
      body: '{"message":"Slow down."}',
    },
    {
      headers: [
        [':error-code', 'string', 'InternalFailure'],
        [':error-message', 'string', 'Sorry.'],
        [':message-type', 'string', 'error'],
      ],
      body: '',
    },
    { headers: [], body: '' },
  ])
})

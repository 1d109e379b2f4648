import type { SseEvent } from '@sluice/core/provider'
import { expect, it } from 'vitest'
import { scriptedFrame } from '../../test/bedrock/scripted-frames.ts'
import { FrameReader } from './frame-reader.ts'

function read(...reads: readonly Uint8Array[]): SseEvent[] {
  const events: SseEvent[] = []
  const frames = new FrameReader()
  for (const bytes of reads) frames.push(bytes, events)
  expect(frames.within).toBe(false)
  return events
}

const named = (name: string) => ({ ':message-type': 'event', ':event-type': name })

it('goes by the headers of each frame, also where those of the last one look like them', () => {
  const frames = ['one', 'two', 'two', 'one'].map(name => scriptedFrame(named(name)))
  const expected = ['one', 'two', 'two', 'one'].map(event => ({ event, data: '{}' }))
  expect(read(...frames)).toEqual(expected)
  // From a buffer, in which all of them stand at the same place.
  expect(read(...frames.flatMap(frame => Array.from(frame, byte => Uint8Array.of(byte))))).toEqual(expected)
  // The headers of the second are the beginning of those of the first.
  expect(read(scriptedFrame(named('one')), scriptedFrame({ ':message-type': 'event' }))).toEqual([
    { event: 'one', data: '{}' },
    { event: '', data: '{}' },
  ])
})

it('tells failures without names and words as failures', () => {
  const failures = ['exception', 'error'].map(type => scriptedFrame({ ':message-type': type }))
  expect(read(...failures)).toEqual([
    { event: 'exception:', data: '{"message":""}' },
    { event: 'error:', data: '{"message":""}' },
  ])
  const padded = ' \n{"message":"slow"}'
  expect(read(scriptedFrame({ ':message-type': 'exception' }, padded))).toEqual([
    { event: 'exception:', data: padded },
  ])
})

it('passes over a frame without headers, also where it is the first', () => {
  expect(read(scriptedFrame({}), scriptedFrame(named('one')))).toEqual([{ event: 'one', data: '{}' }])
})

it('takes a header of more than 255 bytes', () => {
  const message = 'x'.repeat(1_000)
  const error = { ':message-type': 'error', ':error-code': 'e', ':error-message': message }
  expect(read(scriptedFrame(error))).toEqual([{ event: 'error:e', data: JSON.stringify({ message }) }])
})

it('takes a frame of which one read has the most', () => {
  const data = JSON.stringify({ text: 'x'.repeat(300_000) })
  const bytes = scriptedFrame(named('large'), data)
  expect(read(bytes.subarray(0, 200_000), bytes.subarray(200_000))).toEqual([{ event: 'large', data }])
  expect(read(bytes.subarray(0, 10), bytes.subarray(10, 200_000), bytes.subarray(200_000))).toHaveLength(1)
})

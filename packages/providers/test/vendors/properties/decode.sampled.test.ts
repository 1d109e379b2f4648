import { splitBytes } from '@sluice/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answersOf, framing, plans } from './answer-streams.ts'
import { decoded } from './decoded.ts'
import { distorted, distortion } from './distorted.ts'
import { runs } from './runs.ts'
import { planned, said } from './said.ts'
import { vendorModels } from './vendors.ts'
import { illTyped } from './well-typed.ts'

const split = fc.oneof(
  fc.constantFrom('whole', 'bytes'),
  fc.record({ seed: fc.nat(), max: fc.integer({ min: 1, max: 400 }) }),
)

/** What is done to the bytes of a stream, or to its events. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constantFrom('drop', 'duplicate', 'swap'), at: fc.nat() }),
  fc.record({ kind: fc.constant('flip'), at: fc.nat(), bit: fc.nat({ max: 7 }) }),
  fc.record({ kind: fc.constant('insert'), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant('distort'), at: fc.nat(), distortion }),
)
type Mutation = Parameters<Parameters<typeof mutation.map>[0]>[0]

describe.each(Object.entries(vendorModels))('%s', (_, { target, wire }) => {
  const { type, frame } = framing[wire]
  const answerOf = answersOf[wire]

  it('reads what it says, however it comes', async () => {
    await fc.assert(
      fc.asyncProperty(plans, split, async (plan, by) => {
        const { events, whole } = answerOf(plan)
        const { parts, failure } = await decoded(
          target,
          type,
          splitBytes(Buffer.concat(events.map(frame)), by),
          true,
        )
        expect(failure).toBeUndefined()
        expect(illTyped(parts)).toEqual([])
        expect(said(parts)).toEqual(planned(plan))
        const body = Buffer.from(JSON.stringify(whole))
        const once = await decoded(target, 'application/json', [body], false)
        expect(once.failure).toBeUndefined()
        expect(illTyped(once.parts)).toEqual([])
        expect(said(once.parts)).toEqual(planned(plan))
      }),
      runs(100),
    )
  })

  it('never takes a beginning for the whole', async () => {
    await fc.assert(
      fc.asyncProperty(plans, split, fc.nat(), async (plan, by, number) => {
        const { events, end } = answerOf(plan)
        const before = Buffer.concat(events.slice(0, end).map(frame))
        const last = frame(events[end]!)
        const cut = number % (before.length + Math.ceil(last.length / 2))
        const bytes = Buffer.concat([before, last]).subarray(0, cut)
        const { parts, failure } = await decoded(target, type, splitBytes(bytes, by), true)
        expect(failure?.kind).toBe('truncated')
        expect(illTyped(parts)).toEqual([])
      }),
      runs(300),
    )
  })

  it('ends or fails as an upstream does, whatever becomes of its events', async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        split,
        async (plan, mutations, by) => {
          let pieces: Uint8Array[] = answerOf(plan).events.map(frame)
          const { events } = answerOf(plan)
          for (const each of mutations) {
            if (each.kind === 'distort') {
              const at = each.at % events.length
              const payload = distorted(events[at]!.payload, each.distortion) as object
              pieces = pieces.map((piece, index) =>
                index === at ? frame({ ...events[at]!, payload }) : piece,
              )
            } else pieces = mutated(pieces, each)
          }
          const { parts } = await decoded(target, type, splitBytes(Buffer.concat(pieces), by), true)
          expect(illTyped(parts)).toEqual([])
        },
      ),
      runs(500),
    )
  })

  it('ends or fails as an upstream does, whatever becomes of its whole answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.array(distortion, { minLength: 1, maxLength: 3 }),
        async (plan, distortions) => {
          const whole = distortions.reduce<unknown>(distorted, answerOf(plan).whole)
          const body = Buffer.from(JSON.stringify(whole))
          const { parts } = await decoded(target, 'application/json', [body], false)
          expect(illTyped(parts)).toEqual([])
        },
      ),
      runs(500),
    )
  })

  it('ends or fails as an upstream does, whatever the bytes are', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map(text => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(bytes, split, fc.boolean(), async (body, by, stream) => {
        const { parts } = await decoded(
          target,
          stream ? type : 'application/json',
          splitBytes(body, by),
          stream,
        )
        expect(illTyped(parts)).toEqual([])
      }),
      runs(300),
    )
  })
})

function mutated(
  pieces: readonly Uint8Array[],
  mutation: Exclude<Mutation, { kind: 'distort' }>,
): Uint8Array[] {
  const at = mutation.at % Math.max(1, pieces.length)
  switch (mutation.kind) {
    case 'drop':
      return pieces.toSpliced(at, 1)
    case 'duplicate':
      return pieces.toSpliced(at, 0, ...pieces.slice(at, at + 1))
    case 'swap':
      return [...pieces.slice(at), ...pieces.slice(0, at)]
  }
  const bytes = Buffer.concat(pieces)
  const place = mutation.at % Math.max(1, bytes.length)
  if (mutation.kind === 'insert') {
    return [bytes.subarray(0, place), mutation.bytes, bytes.subarray(place)]
  }
  if (bytes.length > 0) bytes[place] = bytes[place]! ^ (1 << mutation.bit)
  return [bytes]
}

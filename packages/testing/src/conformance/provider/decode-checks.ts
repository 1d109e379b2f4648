import assert from 'node:assert/strict'
import { foldChunks, type PartialChunk, type PartialCompletion } from '@sluice/core/provider'
import { bytesOf } from '../../bytes.ts'
import { splitBytes } from '../../split.ts'
import { orderIssues, typeIssues } from './chunk-issues.ts'
import { callOf, type Decoded, decodeAnswer, decodeComplete, inTime } from './decode-answer.ts'
import { expectAnswer } from './gateway-answer.ts'
import { type ProviderCheck, sampleName } from './provider-case.ts'
import type { CompletionSample, ProviderSamples, StreamSample } from './provider-samples.ts'
import { arrivedResponse, type VendorAnswer, vendorResponse } from './vendor-response.ts'

/** Maximum positions at which a sample is split or cut. */
const maxCuts = 500

/** What `decode` of every provider does with answers that are complete. */
export const decodeChecks: readonly ProviderCheck[] = [
  {
    name: 'decodes whole answers to what they contain',
    check: async ({ target, completions }) => {
      for (const [index, sample] of completions.entries()) {
        const name = sampleName('completions', index, sample.name)
        await expectAnswer(target, { ...sample.request }, answerOf(sample), sample.expected, name)
      }
    },
  },
  {
    name: 'gives the order of a whole answer as chunks of the same answer',
    check: async samples => {
      for (const { name, decoded } of await decodeAll(samples)) {
        const { completion, ordered } = decoded
        if (completion === undefined || ordered === undefined) continue
        assert.deepEqual(ordered.flatMap(typeIssues), [], `${name}: ordered`)
        assert.deepEqual(
          comparable(foldChunks(ordered)),
          comparable(completion),
          `${name}: the completion that ordered folds to, and completion`,
        )
      }
    },
  },
  {
    name: 'decodes streams to what they contain',
    check: async ({ target, streams }) => {
      for (const [index, sample] of streams.entries()) {
        const fields = { stream_options: { include_usage: true }, ...streamedFields(sample) }
        const name = sampleName('streams', index, sample.name)
        await expectAnswer(target, fields, streamOf(sample), sample.expected, name)
      }
    },
  },
  {
    name: 'gives parts of the types that the contract declares',
    check: async samples => {
      for (const { name, decoded } of await decodeAll(samples)) {
        const { completion, chunks } = decoded
        const parts = completion === undefined ? chunks : [completion]
        assert.deepEqual(parts.flatMap(typeIssues), [], name)
      }
    },
  },
  {
    name: 'gives one finish reason for each choice, and token counts at the end',
    check: async samples => {
      for (const { name, decoded } of await decodeAll(samples))
        assert.deepEqual(orderIssues(decoded.chunks), [], name)
    },
  },
  {
    name: 'decodes a whole answer alike however its bytes arrive',
    check: async ({ target, completions }) => {
      for (const [index, sample] of completions.entries()) {
        const name = sampleName('completions', index, sample.name)
        const call = callOf(target, sample.request)
        const answer = answerOf(sample)
        const whole = await decodeComplete(target, call, vendorResponse(answer), name)
        const arrived = await decodeAnswer(target, call, arrivedResponse(answer), name)
        assert.deepEqual(arrived, whole, `${name}: arrivedText() and text() differ`)
        const reads = splitBytes(bytesOf(sample.body), 'bytes')
        const divided = await decodeAnswer(target, call, vendorResponse({ ...answer, reads }), name)
        assert.deepEqual(divided, whole, `${name}: one byte at a time`)
      }
    },
  },
  {
    name: 'decodes a stream alike however its bytes are divided',
    check: async ({ target, streams }) => {
      for (const [index, sample] of streams.entries()) {
        const name = sampleName('streams', index, sample.name)
        const bytes = streamBytes(sample)
        const decode = async (reads: readonly Uint8Array[]): Promise<readonly PartialChunk[]> => {
          const response = vendorResponse({ ...streamOf(sample), reads })
          const { chunks } = await decodeComplete(
            target,
            callOf(target, streamedFields(sample)),
            response,
            name,
          )
          return chunks
        }
        const whole = await decode([bytes])
        assert.deepEqual(await decode(splitBytes(bytes, 'bytes')), whole, `${name}: one byte at a time`)
        const empty = splitBytes(bytes, { seed: index, max: 40 }).flatMap(piece => [new Uint8Array(), piece])
        assert.deepEqual(await decode(empty), whole, `${name}: with empty reads`)
        for (const at of cutPositions(bytes.length))
          assert.deepEqual(
            await decode([bytes.subarray(0, at), bytes.subarray(at)]),
            whole,
            `${name}: divided after ${at} bytes`,
          )
      }
    },
  },
  {
    name: 'closes the body of a stream that is left early',
    check: async ({ target, streams }) => {
      for (const [index, sample] of streams.entries()) {
        const name = sampleName('streams', index, sample.name)
        const reads = sample.events.map(bytesOf)
        const response = vendorResponse({ ...streamOf(sample), reads })
        const reply = await target.provider.decode(response, callOf(target, streamedFields(sample)))
        assert.equal(reply.kind, 'stream', `${name}: the kind of the reply`)
        if (reply.kind !== 'stream') continue
        const chunks = reply.chunks[Symbol.asyncIterator]()
        await inTime(chunks.next(), `${name}: the first read did not end`)
        assert.ok(
          chunks.return !== undefined,
          `${name}: the chunks have no return(), so nobody can leave them`,
        )
        await inTime(chunks.return(), `${name}: return() did not end`)
        assert.ok(response.state.closed, `${name}: the body was not closed`)
      }
    },
  },
]

/** Returns a completion without members that say nothing: those that are null, and the indices of tool calls. */
function comparable({ choices, ...rest }: PartialCompletion): unknown {
  const unnumbered = choices.map(({ message, ...choice }) => ({
    ...choice,
    message: { ...message, tool_calls: message.tool_calls?.map(({ index: _, ...call }) => call) },
  }))
  const text = JSON.stringify({ ...rest, choices: unnumbered }, (_, value: unknown) => value ?? undefined)
  return JSON.parse(text)
}

/** The body of a stream. */
export function streamBytes({ events }: StreamSample): Uint8Array {
  return Buffer.concat(events.map(bytesOf))
}

/** A stream as the vendor sends it, in one read. */
export function streamOf(sample: StreamSample): VendorAnswer {
  return { headers: sample.headers ?? { 'content-type': 'text/event-stream' }, reads: [streamBytes(sample)] }
}

/** Returns a complete response as the vendor sends it, in one read. */
export function answerOf({ headers, body }: CompletionSample): VendorAnswer {
  return { headers: headers ?? { 'content-type': 'application/json' }, reads: [bytesOf(body)] }
}

/** The fields of the request that a stream answers. */
export function streamedFields({ request }: StreamSample): object {
  return { ...request, stream: true }
}

/** Returns where to split `length` bytes: everywhere, or at 500 evenly spaced positions. */
export function cutPositions(length: number): number[] {
  const count = Math.min(Math.max(0, length - 1), maxCuts)
  return Array.from({ length: count }, (_, index) => 1 + Math.floor((index * (length - 1)) / count))
}

async function decodeAll({
  target,
  completions,
  streams,
}: ProviderSamples): Promise<{ name: string; decoded: Decoded }[]> {
  const all: { name: string; decoded: Decoded }[] = []
  for (const [index, sample] of completions.entries()) {
    const name = sampleName('completions', index, sample.name)
    const response = vendorResponse(answerOf(sample))
    all.push({ name, decoded: await decodeComplete(target, callOf(target, sample.request), response, name) })
  }
  for (const [index, sample] of streams.entries()) {
    const name = sampleName('streams', index, sample.name)
    const response = vendorResponse(streamOf(sample))
    const call = callOf(target, streamedFields(sample))
    all.push({ name, decoded: await decodeComplete(target, call, response, name) })
  }
  return all
}

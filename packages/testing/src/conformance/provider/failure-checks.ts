import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { UpstreamError } from '@sluice/core'
import type { Call } from '@sluice/core/provider'
import { bytesOf } from '../../bytes.ts'
import { splitBytes } from '../../split.ts'
import { garbage } from '../../steps.ts'
import { typeIssues } from './chunk-issues.ts'
import { callOf, decodeAnswer, decodeFailure } from './decode-answer.ts'
import { answerOf, cutPositions, streamBytes, streamedFields, streamOf } from './decode-checks.ts'
import { type ProviderCheck, sampleName } from './provider-case.ts'
import type { ErrorSample, ProviderSamples, StreamSample } from './provider-samples.ts'
import { type VendorAnswer, vendorResponse } from './vendor-response.ts'

const page = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>'
/** Bodies of no protocol. */
const noAnswers: readonly (string | Uint8Array)[] = ['', page, '{"', bytesOf(garbage(512).bytes), '\0']
/** JSON of another shape than an answer's. */
const otherJson = ['null', 'true', '42', '"text"', '[]', '[null]', '{}', '{"error":null}']
const errorStatuses = [400, 401, 403, 404, 422, 429, 500, 502, 503]
/** What one event may hold, in bytes: no vendor sends as much. */
const maxCutsPerEvent = 64 * 1024 * 1024

/** What `decode` of every provider does with answers that are broken, or are errors. */
export const failureChecks: readonly ProviderCheck[] = [
  {
    name: 'reports a stream that is cut before its end',
    check: async ({ target, streams }) => {
      for (const [index, sample] of streams.entries()) {
        const bytes = streamBytes(sample)
        const call = callOf(target, streamedFields(sample))
        for (const at of cutsOf(sample)) {
          const name = `${sampleName('streams', index, sample.name)}, cut after ${at} of ${bytes.length} bytes`
          const response = vendorResponse({ ...streamOf(sample), reads: [bytes.subarray(0, at)] })
          const { kind } = await decodeFailure(target, call, response, name)
          assert.ok(kind === 'truncated' || kind === 'garbled', `${name}: the kind of the error is ${kind}`)
        }
      }
    },
  },
  {
    name: 'reports a stream whose connection fails',
    check: async ({ target, streams }) => {
      const failure = new UpstreamError('The connection was reset.', { kind: 'unreachable' })
      for (const [index, sample] of streams.entries()) {
        const reads = [streamBytes(sample).subarray(0, completeAt(sample) >> 1)]
        const response = vendorResponse({ ...streamOf(sample), reads, failure })
        const name = sampleName('streams', index, sample.name)
        await decodeFailure(target, callOf(target, streamedFields(sample)), response, name)
      }
    },
  },
  {
    name: 'reports a body that is no answer',
    check: async ({ target, completions, streams }) => {
      const [completion] = completions
      const call = callOf(target, completion!.request)
      const wholeOf = (body: string | Uint8Array) =>
        vendorResponse({ ...answerOf(completion!), reads: [bytesOf(body)] })
      const half = bytesOf(completion!.body)
      for (const body of [...noAnswers, half.subarray(0, half.length >> 1)])
        await decodeFailure(target, call, wholeOf(body), `the whole answer ${named(body)}`)
      for (const text of otherJson) {
        const name = `the whole answer ${text}`
        const decoded = await decodeAnswer(target, call, wholeOf(text), name)
        if (decoded.completion === undefined) await decodeFailure(target, call, wholeOf(text), name)
        else assert.deepEqual(typeIssues(decoded.completion), [], name)
      }

      const [stream] = streams
      const streamed = callOf(target, streamedFields(stream!))
      for (const body of [...noAnswers, ...otherJson, ...otherJson.map(text => `data: ${text}\n\n`)]) {
        for (const split of ['whole', 'bytes'] as const) {
          const response = vendorResponse({ ...streamOf(stream!), reads: splitBytes(bytesOf(body), split) })
          await decodeFailure(target, streamed, response, `the stream ${named(body)}`)
        }
      }
    },
  },
  {
    name: 'gives up on an event that never ends',
    check: async ({ target, streams: [sample] }) => {
      const block = bytesOf('x'.repeat(1024 * 1024))
      const reads = [bytesOf('data: '), ...Array<Uint8Array>(maxCutsPerEvent / block.length).fill(block)]
      const response = vendorResponse({ ...streamOf(sample!), reads })
      const call = callOf(target, streamedFields(sample!))
      await decodeFailure(target, call, response, 'a stream whose first event never ends')
      assert.ok(response.state.reads < reads.length, `decode read ${maxCutsPerEvent} bytes of one event`)
    },
  },
  {
    name: 'reports error answers with their status',
    check: async samples => {
      for (const { name, sample, failure } of await failures(samples)) {
        const { status = sample.status, code, retryAfterMs } = sample.expected ?? {}
        assert.equal(failure.kind, 'refused', `${name}: the kind of the error`)
        assert.equal(failure.status, status, `${name}: the status of the error`)
        if (code !== undefined) assert.equal(failure.code, code, `${name}: the code of the error`)
        if (retryAfterMs !== undefined)
          assert.equal(failure.retryAfterMs, retryAfterMs, `${name}: retryAfterMs of the error`)
      }
    },
  },
  {
    name: 'reports an error status whatever the body is',
    check: async ({ target }) => {
      for (const status of errorStatuses) {
        for (const body of [...noAnswers, ...otherJson]) {
          for (const stream of [false, true]) {
            const name = `status ${status} with the body ${named(body)}`
            const answer = errorAnswer({ status, body })
            const failure = await decodeFailure(target, callOf(target, { stream }), answer, name)
            assert.deepEqual([failure.kind, failure.status], ['refused', status], name)
          }
        }
      }
    },
  },
  {
    name: 'keeps secrets, hosts and the words of the vendor out of error messages',
    check: async samples => {
      for (const { name, sample, call, failure } of await failures(samples)) {
        const { url } = await samples.target.provider.encode(call)
        const log = inspect(failure, { depth: Infinity }) + JSON.stringify(failure)
        for (const text of [...samples.secrets, new URL(url).host, ...sentencesIn(sample.body)])
          assert.ok(!log.includes(text), `${name}: a log of the error contains ${JSON.stringify(text)}`)
      }
    },
  },
]

/** How many bytes of a stream are needed before it is complete: without optional events, and line ends of the last. */
function completeAt({ events, optionalEvents = 0 }: StreamSample): number {
  const needed = Buffer.concat(events.slice(0, events.length - optionalEvents).map(bytesOf))
  return needed.findLastIndex(byte => byte !== 10 && byte !== 13 && byte !== 32) + 1
}

/** Returns where to cut a stream: before and after each event, and in between, all before it is complete. */
function cutsOf(sample: StreamSample): number[] {
  const complete = completeAt(sample)
  let end = 0
  const ends = sample.events.map(event => (end += bytesOf(event).length))
  const cuts = [0, ...ends, ...cutPositions(complete), complete - 1]
  return [...new Set(cuts)].filter(at => at < complete)
}

interface SampleFailure {
  readonly name: string
  readonly sample: ErrorSample
  readonly call: Call
  readonly failure: UpstreamError
}

async function failures({ target, errors }: ProviderSamples): Promise<SampleFailure[]> {
  const all: SampleFailure[] = []
  for (const [index, sample] of errors.entries()) {
    for (const stream of sample.stream === undefined ? [false, true] : [sample.stream]) {
      const name = sampleName('errors', index, sample.name)
      const call = callOf(target, { ...sample.request, stream })
      const failure = await decodeFailure(target, call, errorAnswer(sample), name)
      all.push({ name, sample, call, failure })
    }
  }
  return all
}

function errorAnswer({
  status,
  headers,
  body,
  stream = false,
}: Omit<ErrorSample, 'name'>): ReturnType<typeof vendorResponse> {
  const type = stream && status === 200 ? 'text/event-stream' : 'application/json'
  const answer: VendorAnswer = {
    status,
    headers: headers ?? { 'content-type': type },
    reads: [bytesOf(body)],
  }
  return vendorResponse(answer)
}

/** The texts of an error's body that are words for people, not codes. */
function sentencesIn(body: string | Uint8Array): string[] {
  const text = Buffer.from(bytesOf(body)).toString('utf8')
  return (text.match(/"(?:[^"\\]|\\.)*"/g) ?? [])
    .map(quoted => quoted.slice(1, -1))
    .filter(words => /\w \w/.test(words) && words.length >= 12)
}

function named(body: string | Uint8Array): string {
  if (typeof body === 'string') return JSON.stringify(body)
  return `of ${body.length} bytes`
}

import assert from 'node:assert/strict'
import { type Adjustment, type ChatRequest, GatewayError, UpstreamError } from '@sluice/core'
import type { Call, EncodedRequest } from '@sluice/core/provider'
import { callOf } from './decode-answer.ts'
import { callsMade } from './network-calls.ts'
import type { ProviderCheck } from './provider-case.ts'
import type { ProviderSamples } from './provider-samples.ts'
import { canary, plainRequest, requests } from './requests.ts'

const actions: readonly unknown[] = ['dropped', 'mapped', 'defaulted'] satisfies Adjustment['action'][]
/** Headers that the transport writes. */
const transportHeaders = ['connection', 'content-length', 'host', 'transfer-encoding']

/** What `encode` of every provider does. */
export const encodeChecks: readonly ProviderCheck[] = [
  {
    name: 'encodes a request of one message, whole and streamed',
    check: async ({ target }) => {
      for (const stream of [false, true]) await target.provider.encode(callOf(target, { stream }))
    },
  },
  {
    name: 'encodes equal requests for equal input',
    check: async samples => {
      for (const { call, encoded } of await encodeAll(samples)) {
        const again = await samples.target.provider.encode(structuredClone(call))
        assert.deepEqual(comparable(again, samples), comparable(encoded, samples))
      }
    },
  },
  {
    name: 'encodes frozen input, and never changes its input',
    check: async samples => {
      for (const { call, encoded } of await encodeAll(samples)) {
        const input = structuredClone(call)
        await samples.target.provider.encode(input)
        assert.deepEqual(input, call, 'encode changed the call')
        const frozen = await samples.target.provider.encode(deepFrozen(structuredClone(call)))
        assert.deepEqual(comparable(frozen, samples), comparable(encoded, samples), 'frozen input differs')
      }
    },
  },
  {
    name: 'makes no network call in encode',
    check: async samples => {
      const made = await callsMade(() => encodeAll(samples))
      assert.deepEqual(made, [], 'encode made a network call')
    },
  },
  {
    name: 'encodes a request that can be sent',
    check: async samples => {
      for (const { encoded } of await encodeAll(samples)) checkSendable(encoded)
    },
  },
  {
    name: 'keeps credentials out of the URL',
    check: async samples => {
      for (const { encoded } of await encodeAll(samples)) {
        const { username, password } = new URL(encoded.url)
        assert.equal(username + password, '', 'the URL has a user name or a password')
        if (samples.secretsInUrl === true) continue
        for (const secret of samples.secrets)
          for (const form of [secret, encodeURIComponent(secret)])
            assert.ok(!encoded.url.includes(form), 'the URL contains a secret')
      }
    },
  },
  {
    name: 'refuses what it cannot express by a GatewayError with status 400',
    check: async samples => {
      for (const input of inputsOf(samples)) {
        const failure = await encodeError(samples, { ...callOf(samples.target), input })
        if (failure === undefined || UpstreamError.is(failure)) continue
        const fields = Object.keys(input).join(', ')
        assert.ok(GatewayError.is(failure), `encode threw ${failure} for a request with ${fields}`)
        assert.equal(failure.status, 400, `the status of the refusal of a request with ${fields}`)
      }
    },
  },
  {
    name: 'reports adjustments without words of the caller',
    check: async samples => {
      for (const unsupportedParameters of ['refuse', 'drop'] as const) {
        for (const { encoded } of await encodeAll(samples, { unsupportedParameters })) {
          for (const { parameter, action, detail = '' } of encoded.adjustments ?? []) {
            assert.match(parameter, /^[\w.[\]-]+$/, 'the parameter of an adjustment is no path')
            assert.ok(actions.includes(action), `an adjustment has the action ${action}`)
            assert.equal(typeof detail, 'string', 'the detail of an adjustment is no text')
            for (const secret of [canary, ...samples.secrets])
              assert.ok(
                !detail.includes(secret),
                `the detail of the adjustment of ${parameter} repeats a message or a secret`,
              )
          }
        }
      }
    },
  },
]

interface EncodedCall {
  readonly call: Call
  readonly encoded: EncodedRequest
}

function inputsOf({ requests: own = [] }: ProviderSamples): readonly ChatRequest[] {
  return [...requests, ...own]
}

/** All requests that the provider can express. */
async function encodeAll(
  samples: ProviderSamples,
  fields: Pick<Call, 'unsupportedParameters'> = {},
): Promise<EncodedCall[]> {
  const calls: EncodedCall[] = []
  for (const input of inputsOf(samples)) {
    const call: Call = { ...callOf(samples.target), ...fields, input: structuredClone(input) }
    try {
      const encoded = await samples.target.provider.encode(structuredClone(call))
      calls.push({ call, encoded })
    } catch (error) {
      if (input === plainRequest) throw error
    }
  }
  return calls
}

async function encodeError({ target }: ProviderSamples, call: Call): Promise<unknown> {
  try {
    await target.provider.encode(structuredClone(call))
    return undefined
  } catch (error) {
    return error ?? new Error('nothing')
  }
}

/** An encoded request without the headers that change with the time. */
function comparable(
  { method, url, headers, body, adjustments = [] }: EncodedRequest,
  { timedHeaders = [] }: ProviderSamples,
): object {
  const timed = timedHeaders.map(name => name.toLowerCase())
  const kept = Object.entries(headers).filter(([name]) => !timed.includes(name.toLowerCase()))
  return { method, url, headers: Object.fromEntries(kept), body, adjustments }
}

function checkSendable({ method, url, headers, body }: EncodedRequest): void {
  assert.ok(method === 'POST' || method === 'GET', `the method is ${method}, expected POST or GET`)
  assert.match(url, /^https?:\/\/[^\s#]+$/, 'the URL is not absolute, or has a fragment')
  new URL(url)
  const names = Object.keys(headers).map(name => name.toLowerCase())
  assert.equal(new Set(names).size, names.length, 'a header is there twice')
  for (const name of transportHeaders)
    assert.ok(!names.includes(name), `the header ${name} is the transport's to write`)
  for (const [name, value] of Object.entries(headers)) {
    assert.equal(typeof value, 'string', `the value of the header ${name} is no text`)
    assert.doesNotThrow(() => new Headers({ [name]: value }), `the header ${name} cannot be sent`)
  }
  const sendable = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  assert.ok(sendable, `the body is ${typeof body}, expected text or bytes`)
  assert.ok(method === 'POST' || body === undefined, 'a GET request has a body')
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFrozen(member)
  }
  return value
}

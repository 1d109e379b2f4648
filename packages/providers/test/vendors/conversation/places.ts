import { apiKeys, createGateway, type ModelEntry, models } from '@sluice/core'
import type { GenerateDialect } from '@sluice/core/dialect'
import type { Target } from '@sluice/core/provider'
import { toNodeListener } from '@sluice/node'
import { anthropic, azure, bedrock, gemini, openai, vertex } from '@sluice/providers'
import { mounted } from '../../../../../test/e2e/mounts/mounts.ts'
import { anthropicStandIn } from '../stand-ins/anthropic.ts'
import { azureStandIn } from '../stand-ins/azure.ts'
import { bedrockSigner, bedrockStandIn } from '../stand-ins/bedrock.ts'
import { geminiStandIn } from '../stand-ins/gemini.ts'
import { openaiStandIn } from '../stand-ins/openai.ts'
import type { StandIn } from '../stand-ins/stand-in.ts'
import { vertexStandIn } from '../stand-ins/vertex.ts'

/** A vendor's models behind the gateway, and what is known to be its own. */
export interface Place {
  /** The names of its models in the gateway: one that only speaks, and one that thinks where there is one. */
  readonly plain: string
  readonly thinking?: string
  readonly standIn: StandIn
  /** Where the thinking goes: told and signed, or kept by the vendor. */
  readonly reasoning?: 'signed' | 'kept'
  /** Whether the vendor counts the tokens of the thinking by themselves. */
  readonly countsReasoning: boolean
  /** The seconds that its 429 asks to wait; absent where it does not say. */
  readonly retryAfter?: string
}

interface Setup {
  readonly vendor: keyof typeof standIns
  readonly plain: (url: string) => Target
  readonly thinking?: (url: string) => Target
  readonly reasoning?: 'signed' | 'kept'
  readonly countsReasoning?: false
  readonly retryAfter?: string
}

const standIns = {
  openai: openaiStandIn,
  azure: azureStandIn,
  anthropic: anthropicStandIn,
  gemini: geminiStandIn,
  vertex: vertexStandIn,
  bedrock: bedrockStandIn,
}

const classic = (url: string) => azure({ baseURL: url, apiKey: 'azure-key', apiVersion: '2024-10-21' })
const v1 = (url: string) => azure({ baseURL: url, apiKey: 'azure-key' })
const openaiAt = (url: string) => openai({ apiKey: 'openai-key', baseURL: `${url}/v1` })
const responsesAt = (url: string) =>
  openai({ apiKey: 'openai-key', baseURL: `${url}/v1`, reasoningApi: 'responses' })
const anthropicAt = (url: string) => anthropic({ apiKey: 'anthropic-key', baseURL: `${url}/v1` })
const geminiAt = (url: string) => gemini({ apiKey: 'gemini-key', baseURL: `${url}/v1beta` })
const vertexAt = (url: string) =>
  vertex({ project: 'my-project', location: 'us-east5', token: 'vertex-token', baseURL: `${url}/v1` })
const signed = (url: string) => {
  const { region, ...credentials } = bedrockSigner
  return bedrock({ region, credentials, baseURL: url })
}
const borne = (url: string) => bedrock({ region: 'us-east-1', bearerToken: 'bedrock-token', baseURL: url })

/** One model for both. */
const both = (at: (url: string) => (model: string) => Target, model: string) => ({
  plain: (url: string) => at(url)(model),
  thinking: (url: string) => at(url)(model),
})

const setups: Readonly<Record<string, Setup>> = {
  openai: {
    vendor: 'openai',
    plain: url => openaiAt(url)('gpt-4o'),
    thinking: url => openaiAt(url)('gpt-5-mini'),
    reasoning: 'kept',
    retryAfter: '7',
  },
  'openai, by responses': {
    vendor: 'openai',
    plain: url => ({ ...responsesAt(url)('gpt-5.1'), parameters: { reasoning_effort: 'none' } }),
    thinking: url => responsesAt(url)('gpt-5-mini'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'azure, classic': {
    vendor: 'azure',
    plain: url => classic(url)('my-gpt-4o'),
    thinking: url => classic(url)('my-gpt-5-mini', { reasoning: true }),
    reasoning: 'kept',
    retryAfter: '7',
  },
  'azure, v1': {
    vendor: 'azure',
    plain: url => v1(url)('my-gpt-4o'),
    thinking: url => v1(url)('my-gpt-5-mini', { reasoning: true }),
    reasoning: 'kept',
    retryAfter: '7',
  },
  'anthropic with a budget': {
    vendor: 'anthropic',
    ...both(anthropicAt, 'claude-sonnet-4-20250514'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'anthropic with structured answers': {
    vendor: 'anthropic',
    ...both(anthropicAt, 'claude-sonnet-4-5-20250929'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'anthropic, adaptive': {
    vendor: 'anthropic',
    ...both(anthropicAt, 'claude-opus-4-8'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'gemini 2.5': {
    vendor: 'gemini',
    ...both(geminiAt, 'gemini-2.5-flash'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'gemini 3': {
    vendor: 'gemini',
    ...both(geminiAt, 'gemini-3-pro-preview'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'vertex with gemini': {
    vendor: 'vertex',
    ...both(vertexAt, 'gemini-3-flash-preview'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'vertex with claude': {
    vendor: 'vertex',
    ...both(vertexAt, 'claude-sonnet-4@20250514'),
    reasoning: 'signed',
    retryAfter: '7',
  },
  'bedrock with claude, signed': {
    vendor: 'bedrock',
    ...both(signed, 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'),
    reasoning: 'signed',
    countsReasoning: false,
  },
  'bedrock with claude, by bearer token': {
    vendor: 'bedrock',
    ...both(borne, 'us.anthropic.claude-sonnet-4-20250514-v1:0'),
    reasoning: 'signed',
    countsReasoning: false,
  },
  'bedrock with nova': { vendor: 'bedrock', plain: url => borne(url)('amazon.nova-lite-v1:0') },
}

export const placeNames = Object.keys(setups)

/** Every place behind one gateway on a socket. */
export async function openPlaces(dialects: readonly GenerateDialect[] = []) {
  const running = {} as Record<Setup['vendor'], StandIn>
  for (const [name, start] of Object.entries(standIns)) running[name as Setup['vendor']] = await start()
  const table: Record<string, ModelEntry> = {}
  const places: Record<string, Place> = {}
  for (const [name, setup] of Object.entries(setups)) {
    const { vendor, plain, thinking, reasoning, countsReasoning = true, retryAfter } = setup
    const standIn = running[vendor]
    table[name] = plain(standIn.url)
    if (thinking !== undefined) table[`${name}, thinking`] = thinking(standIn.url)
    places[name] = {
      plain: name,
      standIn,
      countsReasoning,
      ...(thinking === undefined ? {} : { thinking: `${name}, thinking` }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }
  }
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: models(table),
    // What one failure is told as shows where no target is asked again, nor left alone.
    retry: false,
    breaker: false,
    dialects,
  })
  const server = await mounted(toNodeListener(gateway))
  return {
    baseURL: server.baseURL,
    places,
    async close() {
      await gateway.close({ drainMs: 1 })
      await server.close()
      for (const standIn of Object.values(running)) await standIn.close()
    },
  }
}

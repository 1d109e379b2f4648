import type { Target } from '@sluice/core'
import { anthropic, azure, bedrock, gemini, groq, mistral, ollama, openai, vertex } from '@sluice/providers'
import type { Wire } from '../../../../packages/providers/test/vendors/properties/wire.ts'

/** A vendor whose servers are at an origin of the test's. */
export interface FaultVendor {
  /** The protocol that it speaks. */
  readonly wire: Wire
  /** Its model, where its servers are at `origin`: `http://127.0.0.1:port`. */
  readonly at: (origin: string) => Target
}

/** The credential of every vendor here: no caller may see it. */
export const vendorKey = 'sk-vendor-canary-83c1e7'

const apiKey = vendorKey
const cloud = (origin: string) =>
  vertex({ project: 'p', location: 'us-east5', token: apiKey, baseURL: `${origin}/v1` })
const aws = (origin: string) => bedrock({ region: 'us-east-1', bearerToken: apiKey, baseURL: origin })

/** Every wire protocol, and every provider that reads one. */
export const vendors: Readonly<Record<string, FaultVendor>> = {
  openai: { wire: 'chat', at: origin => openai({ apiKey, baseURL: `${origin}/v1` })('gpt-4o') },
  'openai, reasoning': {
    wire: 'responses',
    at: origin => openai({ apiKey, baseURL: `${origin}/v1`, reasoningApi: 'responses' })('gpt-5'),
  },
  mistral: { wire: 'chat', at: origin => mistral({ apiKey, baseURL: `${origin}/v1` })('large') },
  ollama: { wire: 'chat', at: origin => ollama({ apiKey, baseURL: `${origin}/v1` })('llama') },
  groq: { wire: 'chat', at: origin => groq({ apiKey, baseURL: `${origin}/v1` })('llama') },
  azure: { wire: 'chat', at: origin => azure({ apiKey, baseURL: origin })('gpt-4o') },
  anthropic: {
    wire: 'messages',
    at: origin => anthropic({ apiKey, baseURL: `${origin}/v1` })('claude-sonnet-4-20250514'),
  },
  gemini: {
    wire: 'generate',
    at: origin => gemini({ apiKey, baseURL: `${origin}/v1beta` })('gemini-2.5-flash'),
  },
  'vertex with gemini': { wire: 'generate', at: origin => cloud(origin)('gemini-2.5-pro') },
  'vertex with claude': { wire: 'messages', at: origin => cloud(origin)('claude-sonnet-4@20250514') },
  'bedrock with claude': {
    wire: 'converse',
    at: origin => aws(origin)('us.anthropic.claude-sonnet-4-20250514-v1:0'),
  },
  'bedrock with nova': { wire: 'converse', at: origin => aws(origin)('amazon.nova-lite-v1:0') },
}

/** One provider of each protocol: for faults that have nothing to do with who speaks it. */
export const oneOfEachWire: Readonly<Record<string, FaultVendor>> = Object.fromEntries(
  ['openai', 'openai, reasoning', 'anthropic', 'gemini', 'bedrock with nova'].map(name => [
    name,
    vendors[name]!,
  ]),
)

import type { Target } from '@sluice/core'
import { anthropic, azure, bedrock, gemini, openai, openaiCompatible, vertex } from '@sluice/providers'
import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'

/** A vendor's models, each with the wire protocol that it speaks. */
export type VendorTargets = readonly { readonly target: Target; readonly wire: Wire }[]

const cloud = vertex({ project: 'p', location: 'us-east5', token: 'token' })
const aws = bedrock({ region: 'us-east-1', bearerToken: 'token' })

/** Every provider: at least one model for each way in which it reads an answer. */
export const vendorTargets = {
  openai: [
    { target: openai({ apiKey: 'key' })('gpt-4o'), wire: 'chat' },
    { target: openai({ apiKey: 'key' })('gpt-5'), wire: 'responses' },
  ],
  'openai-compatible': [
    {
      target: openaiCompatible({ name: 'any', baseURL: 'https://api.test/v1', apiKey: 'key' })('m'),
      wire: 'chat',
    },
  ],
  azure: [
    { target: azure({ resource: 'r', apiKey: 'key' })('gpt-4o'), wire: 'chat' },
    { target: azure({ resource: 'r', apiKey: 'key', apiVersion: '2024-10-21' })('gpt-4o'), wire: 'chat' },
  ],
  anthropic: [
    { target: anthropic({ apiKey: 'key' })('claude-opus-4-8'), wire: 'messages' },
    // Structured answers come by a tool.
    { target: anthropic({ apiKey: 'key' })('claude-sonnet-4-20250514'), wire: 'messages' },
  ],
  gemini: [{ target: gemini({ apiKey: 'key' })('gemini-2.5-flash'), wire: 'generate' }],
  vertex: [
    { target: cloud('gemini-2.5-pro'), wire: 'generate' },
    { target: cloud('claude-sonnet-4-5@20250929'), wire: 'messages' },
  ],
  bedrock: [
    { target: aws('amazon.nova-lite-v1:0'), wire: 'converse' },
    { target: aws('us.anthropic.claude-sonnet-4-20250514-v1:0'), wire: 'converse' },
  ],
} as const satisfies Readonly<Record<string, VendorTargets>>

import type { Target } from '@sluice/core/provider'
import { anthropic, azure, bedrock, gemini, openai, vertex } from '@sluice/providers'
import type { Wire } from './wire.ts'
import { withoutChatFields } from './without-chat-fields.ts'

/** A vendor's model, and the wire protocol that it speaks. */
export interface VendorModel {
  readonly target: Target
  readonly wire: Wire
  /** Changes a random body, so that most of them are for this wire protocol. */
  readonly ask?: (body: Record<string, unknown>) => Record<string, unknown>
}

const claude = anthropic({ apiKey: 'key' })
const google = gemini({ apiKey: 'key' })
const cloud = vertex({ project: 'p', location: 'us-east5', token: 'token' })
// By token, not signed: a signature is of its time.
const aws = bedrock({ region: 'us-east-1', bearerToken: 'token' })

export const vendorModels: Readonly<Record<string, VendorModel>> = {
  openai: { target: openai({ apiKey: 'key' })('gpt-4o'), wire: 'chat' },
  'openai, reasoning': {
    target: openai({ apiKey: 'key' })('gpt-5-mini'),
    wire: 'responses',
    ask: withoutChatFields,
  },
  'azure, classic': {
    target: azure({ resource: 'r', apiKey: 'key', apiVersion: '2024-10-21' })('gpt-4o'),
    wire: 'chat',
  },
  'azure, v1': { target: azure({ resource: 'r', apiKey: 'key' })('gpt-4o'), wire: 'chat' },
  'anthropic with a budget': { target: claude('claude-sonnet-4-20250514'), wire: 'messages' },
  'anthropic with structured answers': { target: claude('claude-haiku-4-5'), wire: 'messages' },
  'anthropic, adaptive': { target: claude('claude-opus-4-8'), wire: 'messages' },
  'gemini 2.5': { target: google('gemini-2.5-flash'), wire: 'generate' },
  'gemini 3': { target: google('gemini-3-pro-preview'), wire: 'generate' },
  'vertex with gemini': { target: cloud('gemini-2.5-pro'), wire: 'generate' },
  'vertex with claude': { target: cloud('claude-sonnet-4-5@20250929'), wire: 'messages' },
  'bedrock with claude': { target: aws('us.anthropic.claude-sonnet-4-20250514-v1:0'), wire: 'converse' },
  'bedrock with structured claude': {
    target: aws('anthropic.claude-sonnet-4-5-20250929-v1:0'),
    wire: 'converse',
  },
  'bedrock with nova': { target: aws('amazon.nova-lite-v1:0'), wire: 'converse' },
}

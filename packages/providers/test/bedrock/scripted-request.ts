import { GatewayError } from '@sluice/core'
import type { Adjustment, ChatRequest, Message } from '@sluice/core/provider'
import { bedrock } from '../../src/bedrock.ts'
import type { ImageFetcher } from '../../src/conversation/image-data.ts'

/** What a test asks: its messages need not be of the right type. */
export type Asked = Omit<Partial<ChatRequest>, 'messages'> & { readonly messages?: readonly unknown[] }

export const sonnet4 = 'anthropic.claude-sonnet-4-20250514-v1:0'
export const sonnet45 = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
export const sonnet46 = 'us.anthropic.claude-sonnet-4-6'
export const nova = 'us.amazon.nova-pro-v1:0'
export const nova2 = 'us.amazon.nova-2-lite-v1:0'
export const mistral = 'mistral.mistral-large-2402-v1:0'
export const llama = 'us.meta.llama3-3-70b-instruct-v1:0'
export const gptOss = 'openai.gpt-oss-120b-1:0'

export const hi = { role: 'user', content: 'Hi' }

/** The body that goes to Converse, and what was adjusted for it. */
export async function encoded(
  asked: Asked,
  model = sonnet45,
  mode?: 'refuse' | 'drop',
  fetchImage?: ImageFetcher,
): Promise<{ body: Record<string, unknown>; adjustments: readonly Adjustment[] }> {
  const input = { model: 'public', messages: [hi], ...asked } as ChatRequest
  const { provider } = bedrock({ region: 'us-east-1', bearerToken: 'token', fetchImage })
  const { body, adjustments = [] } = await provider.encode({
    input,
    model,
    ...(mode === undefined ? {} : { unsupportedParameters: mode }),
  })
  return { body: JSON.parse(String(body)), adjustments }
}

export const bodyOf = async (asked: Asked, model?: string) => (await encoded(asked, model)).body
export const messagesOf = async (messages: readonly unknown[], model?: string) =>
  (await encoded({ messages }, model)).body.messages
export const adjusted = async (asked: Asked, model?: string, mode?: 'drop') =>
  (await encoded(asked, model, mode)).adjustments.map(({ parameter, action }) => `${parameter} ${action}`)

/** The parameter and the code of the 400 that a request is refused with. */
export async function refusal(asked: Asked, model?: string): Promise<string> {
  const failure = await encoded(asked, model).catch((error: unknown) => error)
  if (!GatewayError.is(failure) || failure.status !== 400) throw failure
  return `${failure.param} ${failure.code}`
}

export const tool = (name: string, further: object = {}) => ({
  type: 'function' as const,
  function: { name, ...further },
})
export const spec = (name: string, further: object = {}) => ({
  toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } }, ...further },
})
export const called = (id: string, name = 'f', args = '{}'): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
})
export const answered = (id: string, content: unknown = 'done') => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
export const use = (toolUseId: string, name = 'f', input: object = {}) => ({
  toolUse: { toolUseId, name, input },
})
export const result = (toolUseId: string, ...texts: string[]) => ({
  toolResult: { toolUseId, content: texts.map(text => ({ text })) },
})

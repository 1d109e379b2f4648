import OpenAI from 'openai'

export type Params = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>

export interface Answered {
  /** As the client library gives it. */
  readonly completion: OpenAI.ChatCompletion
  /** Of a streamed answer. */
  readonly chunks: readonly OpenAI.ChatCompletionChunk[] | undefined
}

/** Asks through the official client: whole, or by its helper for streams. */
export type Ask = (params: Params) => Promise<Answered>

export const ways = ['whole', 'streamed'] as const

export function clientOf(baseURL: string): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'good-key', maxRetries: 0 })
}

export function askBy(client: OpenAI, way: (typeof ways)[number]): Ask {
  if (way === 'whole') {
    return async params => ({ completion: await client.chat.completions.create(params), chunks: undefined })
  }
  return async params => {
    const chunks: OpenAI.ChatCompletionChunk[] = []
    const stream = client.chat.completions.stream({
      ...params,
      stream_options: { include_usage: true },
    } as Parameters<typeof client.chat.completions.stream>[0])
    stream.on('chunk', chunk => void chunks.push(chunk))
    return { completion: await stream.finalChatCompletion(), chunks }
  }
}

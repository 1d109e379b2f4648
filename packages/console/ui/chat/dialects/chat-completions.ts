import type { Usage } from '@sluice/core'
import type { ChatCompletionChunk } from '@sluice/core/provider'
import type { TokenCounts, ToolCallPiece, Turn } from '../chat-types.ts'
import {
  type ChatDialect,
  numberMember,
  reasoningPiece,
  sentTurns,
  stopSequences,
  textPiece,
  typedTools,
} from './chat-dialect.ts'

export const chatCompletions: ChatDialect = {
  label: 'Chat completions',
  path: '/chat/completions',
  consolePath: 'api/chat',
  endName: '[DONE]',
  maxTemperature: 2,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  lacks: [],
  body: (options, turns) => {
    const { model, system, temperature, topP, maxTokens, stop, seed, effort } = options
    const tools = typedTools(options)
    const stops = stopSequences(stop)
    return {
      model,
      messages: [
        ...(system.trim() === '' ? [] : [{ role: 'system', content: system.trim() }]),
        ...sentTurns(turns).map(messageOf),
      ],
      ...numberMember('temperature', temperature),
      ...numberMember('top_p', topP),
      ...numberMember('max_completion_tokens', maxTokens),
      ...(stops.length === 0 ? {} : { stop: stops }),
      ...numberMember('seed', seed),
      ...(effort === '' ? {} : { reasoning_effort: effort }),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ schema, ...tool }) => ({
              type: 'function',
              function: { ...tool, parameters: schema },
            })),
          }),
      stream: true,
      stream_options: { include_usage: true },
    }
  },
  read: data => {
    if (data === '[DONE]') return { isEnd: true }
    const { choices, usage }: ChatCompletionChunk = JSON.parse(data)
    const { content, refusal, tool_calls, ...more } = choices[0]?.delta ?? {}
    const calls = (tool_calls ?? []).map(callPiece)
    return {
      ...textPiece(content ?? refusal),
      ...reasoningPiece((more as { reasoning_content?: unknown }).reasoning_content),
      ...(calls.length === 0 ? {} : { calls }),
      ...(usage ? { counts: countsOf(usage) } : {}),
    }
  },
}

function messageOf({ role, text, images = [], calls = [], resultOf }: Turn): object {
  if (role === 'tool') return { role, tool_call_id: resultOf?.id, content: text }
  if (role === 'user') {
    if (images.length === 0) return { role, content: text }
    return {
      role,
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...images.map(({ type, data }) => ({
          type: 'image_url',
          image_url: { url: `data:${type};base64,${data}` },
        })),
      ],
    }
  }
  if (calls.length === 0) return { role, content: text }
  return {
    role,
    content: text === '' ? null : text,
    tool_calls: calls.map(call => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  }
}

function callPiece(call: {
  index: number
  id?: string
  function?: { name?: string; arguments?: string }
}): ToolCallPiece {
  const { index, id, function: called } = call
  return {
    at: index,
    ...(id === undefined ? {} : { id }),
    ...(called?.name === undefined ? {} : { name: called.name }),
    ...(called?.arguments === undefined ? {} : { arguments: called.arguments }),
  }
}

function countsOf({ prompt_tokens, completion_tokens }: Usage): TokenCounts {
  return { input: prompt_tokens, output: completion_tokens }
}

import { geminiNative, geminiParameters } from '../gemini/parameters.ts'
import type { ParameterRules } from '../parameters/parameter-rules.ts'

/** What Vertex AI does with each parameter of the protocol, for Gemini models. For Claude, Anthropic's rules hold. */
export const vertexParameters: ParameterRules = {
  ...geminiParameters,
  presence_penalty: { handling: 'passed', as: 'presencePenalty', note: 'dropped from Gemini 3 on' },
  frequency_penalty: { handling: 'passed', as: 'frequencyPenalty', note: 'dropped from Gemini 3 on' },
  logprobs: { handling: 'passed', as: 'responseLogprobs', note: 'refused from Gemini 3.5 on' },
  top_logprobs: { handling: 'passed', as: 'logprobs', note: 'refused from Gemini 3.5 on' },
  tools: {
    handling: 'mapped',
    as: 'functionDeclarations',
    note: 'functions only; strict is dropped where no call is required',
  },
  tool_choice: {
    handling: 'mapped',
    as: 'functionCallingConfig',
    note: 'auto among some leaves the others out',
  },
  service_tier: {
    handling: 'mapped',
    as: 'the header x-vertex-ai-llm-shared-request-type',
    note: 'flex and priority, at the global location',
  },
  metadata: { handling: 'mapped', as: 'labels', note: 'pairs that make no label are dropped' },
}

/** Fields of Vertex AI's own that callers may send at the top of a request. */
export const vertexNative: readonly string[] = [...geminiNative, 'labels']

/** A protocol that vendors speak: chat completions, Anthropic's Messages, Google's generateContent, Bedrock's Converse, OpenAI's Responses. */
export type Wire = 'chat' | 'messages' | 'generate' | 'converse' | 'responses'

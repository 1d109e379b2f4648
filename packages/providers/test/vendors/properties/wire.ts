/** A protocol that vendors speak: chat completions, Anthropic's Messages, Google's generateContent, Bedrock's Converse. */
export type Wire = 'chat' | 'messages' | 'generate' | 'converse'

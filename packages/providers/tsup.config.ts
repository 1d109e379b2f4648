import { defineConfig } from 'tsup'
import { entries, shared } from '../../tsup.config.ts'

export default defineConfig({
  ...shared,
  ...entries(
    'src/index.ts',
    'src/openai.ts',
    'src/openai-compatible.ts',
    'src/anthropic.ts',
    'src/gemini.ts',
    'src/vertex.ts',
    'src/bedrock.ts',
    'src/azure.ts',
    'src/local.ts',
  ),
})

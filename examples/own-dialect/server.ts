import { apiKeys, createGateway, models } from '@sluice/core'
import { serve } from '@sluice/node'
import { local } from '@sluice/providers'
import { dialogue } from './dialogue.ts'

const gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: models({ small: local()('small') }),
  dialects: [dialogue],
})
const { url } = await serve(gateway, { port: 3000 })
console.log(`Dialogues at ${url}/v1/dialogue, chat completions at ${url}/v1/chat/completions`)

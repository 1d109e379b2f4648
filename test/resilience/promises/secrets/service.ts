import { apiKeys, createGateway, models, type Target } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { serve } from '@sluice/node'
import { anthropic, azure, bedrock, gemini, openai, openaiCompatible, vertex } from '@sluice/providers'
import { canaries, type VendorName, vendorNames } from './canaries.ts'

// A service in a process of its own that logs all that it is told of, in more ways than anybody should.
// Its arguments are the vendors' addresses.

const made: Readonly<Record<VendorName, (url: string) => Target>> = {
  openai: url => openai({ apiKey: canaries.openai, baseURL: `${url}/v1` })('gpt-4o'),
  compatible: url =>
    openaiCompatible({ name: 'compatible', apiKey: canaries.compatible, baseURL: `${url}/v1` })('m'),
  anthropic: url => anthropic({ apiKey: canaries.anthropic, baseURL: url })('claude-sonnet-4-20250514'),
  gemini: url => gemini({ apiKey: canaries.gemini, baseURL: url })('gemini-2.5-flash'),
  azure: url => azure({ apiKey: canaries.azure, baseURL: url })('deployment'),
  vertex: url =>
    vertex({ project: 'p', location: 'global', tokenProvider: async () => canaries.google, baseURL: url })(
      'gemini-2.5-flash',
    ),
  bedrock: url =>
    bedrock({
      region: 'us-east-1',
      credentials: {
        accessKeyId: canaries.awsId,
        secretAccessKey: canaries.awsSecret,
        sessionToken: canaries.awsSession,
      },
      baseURL: url,
    })('us.amazon.nova-lite-v1:0'),
}

const targets = vendorNames.map((name, at) => [name, made[name](process.argv[at + 2] ?? '')] as const)
const pepper = { v1: canaries.pepper }
const rows = new Map([
  [hashApiKey(canaries.callerKey, pepper), { id: 'ann', tags: { plan: 'gold' } }],
  [hashApiKey(canaries.otherKey, pepper), { id: 'bob' }],
])

const gateway = createGateway({
  authenticate: apiKeys(digest => rows.get(digest), { pepper }),
  route: models({ ...Object.fromEntries(targets), all: targets.map(([, target]) => target) }),
  maxAttempts: targets.length,
  // So that each vendor's failure is told.
  retry: false,
  breaker: false,
  timeouts: { firstByteMs: 500, responseMs: 500, idleMs: 300 },
  observe: event => {
    console.log(event)
    console.log(JSON.stringify(event))
    if (event.type === 'end') console.error(event.error)
  },
})
const { port } = await serve(gateway, { host: '127.0.0.1', port: 0 })
console.log(`listens on ${port}`)

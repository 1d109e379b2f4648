import { GatewayError } from '@sluice/core'
import { type Call, type ChatRequest, type EncodedRequest, UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { type AwsCredentials, type BedrockOptions, bedrock } from './bedrock.ts'

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/key+example' }
const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

function call(further: Partial<ChatRequest> = {}, of = model): Call {
  return { input: { model: 'public', messages: [{ role: 'user', content: 'Hi' }], ...further }, model: of }
}

async function encode(options: Partial<BedrockOptions>, asked = call()): Promise<EncodedRequest> {
  const access = 'credentials' in options ? {} : { bearerToken: 'token' }
  return bedrock({ region: 'us-east-1', ...access, ...options }).provider.encode(asked)
}

describe('bedrock', () => {
  it('asks Converse, or ConverseStream, with the model in the path', async () => {
    const whole = await encode({})
    expect(whole).toMatchObject({
      method: 'POST',
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse',
      headers: {
        authorization: 'Bearer token',
        'content-type': 'application/json',
        accept: 'application/json',
      },
    })
    expect(JSON.parse(String(whole.body))).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    })
    const streamed = await encode({ baseURL: 'http://127.0.0.1:1/aws/' }, call({ stream: true }))
    expect(streamed.url).toBe(
      'http://127.0.0.1:1/aws/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream',
    )
    expect(streamed.headers.accept).toBe('application/vnd.amazon.eventstream')
    expect(streamed.body).toBe(whole.body)
  })

  it('takes an ARN as a model', async () => {
    const arn = 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2'
    expect((await encode({}, call({}, arn))).url).toContain(
      '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Aapplication-inference-profile%2Fa1b2/converse',
    )
  })

  it.each(['', '.', '..', 'a\ud800'])('refuses a model that is no part of a path: %j', async name => {
    const failure = await encode({}, call({}, name)).catch((error: unknown) => error)
    expect(GatewayError.is(failure) && [failure.status, failure.param]).toEqual([400, 'model'])
  })

  it('signs with credentials, and asks a function for them before each call', async () => {
    const { headers } = await encode({ credentials, region: 'eu-central-1' })
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=accept;host;x-amz-date, Signature=[0-9a-f]{64}$/,
    )
    expect(headers['x-amz-security-token']).toBeUndefined()
    let asked = 0
    const { provider } = bedrock({
      region: 'us-east-1',
      credentials: async () => ({ ...credentials, sessionToken: `token-${++asked}` }),
    })
    for (const count of [1, 2]) {
      expect((await provider.encode(call())).headers['x-amz-security-token']).toBe(`token-${count}`)
    }
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no role'))],
    ['gives nothing', () => undefined],
    ['gives half', () => ({ accessKeyId: 'a' })],
    ['gives what no header can carry', () => ({ ...credentials, sessionToken: 'a\nb' })],
  ])('fails as if the vendor had refused where the function for credentials %s', async (_, give) => {
    const failure = await encode({ credentials: give as unknown as () => AwsCredentials }).catch(
      (error: unknown) => error,
    )
    expect(UpstreamError.is(failure) && [failure.kind, failure.status]).toEqual(['refused', 401])
    expect(String(failure)).not.toMatch(/secret\/key|AKIDEXAMPLE/)
  })

  it('keeps the words of a failure that the function tells as one of the upstream', async () => {
    const told = new UpstreamError('No access.', { kind: 'unreachable' })
    await expect(encode({ credentials: () => Promise.reject(told) })).rejects.toBe(told)
    const cause = new Error('no role')
    await expect(encode({ credentials: () => Promise.reject(cause) })).rejects.toMatchObject({ cause })
  })

  it('tells what it adjusted, and nothing where it adjusted nothing', async () => {
    expect((await encode({})).adjustments).toBeUndefined()
    expect((await encode({}, call({ seed: 1 }))).adjustments).toEqual([
      { parameter: 'seed', action: 'dropped' },
    ])
  })

  it('says the same for the same call', async () => {
    const asked = call({ tools: [{ type: 'function', function: { name: 'f' } }], n: 1 })
    expect(await encode({}, asked)).toEqual(await encode({}, asked))
  })

  it('refuses what it cannot say with a 400 that names the parameter', async () => {
    const failure = await encode({}, call({ n: 2 })).catch((error: unknown) => error)
    expect(GatewayError.is(failure) && [failure.status, failure.param, failure.code]).toEqual([
      400,
      'n',
      'unsupported_parameter',
    ])
  })

  it.each<[string, unknown, RegExp]>([
    ['no options', undefined, /region: got undefined, expected a region/],
    ['no region', { bearerToken: 'a' }, /region: got undefined, expected a region.* AWS_REGION/],
    ['a region in capitals', { region: 'US-EAST-1', bearerToken: 'a' }, /in lower case/],
    ['a region that would be another host', { region: 'evil.example/', bearerToken: 'a' }, /region/],
    [
      'no access',
      { region: 'us-east-1' },
      /credentials: got undefined, expected credentials or a bearerToken/,
    ],
    ['both', { region: 'us-east-1', bearerToken: 'a', credentials }, /leave one out/],
    [
      'an empty token',
      { region: 'us-east-1', bearerToken: ' ' },
      /bearerToken: got a string, expected a string that is not empty/,
    ],
    [
      'no secret',
      { region: 'us-east-1', credentials: { accessKeyId: 'a' } },
      /secretAccessKey is missing or empty/,
    ],
    [
      'an empty session token',
      { region: 'us-east-1', credentials: { ...credentials, sessionToken: '' } },
      /sessionToken/,
    ],
    [
      'a misspelt option',
      { region: 'us-east-1', bearertoken: 'a' },
      /bearertoken: got a string, expected no such option. Did you mean 'bearerToken'/,
    ],
    [
      'a baseURL with the path',
      { region: 'us-east-1', bearerToken: 'a', baseURL: 'https://h/model' },
      /path/,
    ],
    ['a fetcher that is none', { region: 'us-east-1', bearerToken: 'a', fetchImage: {} }, /fetchImage/],
    ['no count', { region: 'us-east-1', bearerToken: 'a', maxConcurrent: 0 }, /maxConcurrent/],
  ])('refuses a configuration with %s', (_, options, message) => {
    expect(() => bedrock(options as BedrockOptions)).toThrow(TypeError)
    expect(() => bedrock(options as BedrockOptions)).toThrow(message)
  })

  it('makes targets', () => {
    const vendor = bedrock({ region: 'us-east-1', bearerToken: 'a', maxConcurrent: 3 })
    expect(vendor(model)).toEqual({ provider: vendor.provider, model })
    expect(vendor.provider).toMatchObject({ name: 'bedrock', maxConcurrent: 3 })
  })
})

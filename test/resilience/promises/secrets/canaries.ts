/** Secrets of the service in this test, each unlike all others. */
export const canaries = {
  callerKey: 'sk-caller-CanaryAnn-0a9b8c7d6e5f',
  otherKey: 'c4n4ry0b0b5566778899aabbccddeeff',
  pepper: 'pepper-CanaryPepper-77665544',
  openai: 'sk-proj-CanaryOpenAI5oP3nA1kQ7z',
  compatible: 'b1946ac92492d2347c6235b4d2611184',
  anthropic: 'sk-ant-api03-CanaryAnthropic-55443322',
  gemini: 'AIzaSyCanaryGemini9gXtR4mW2vUu8sLp',
  azure: '9e107d9d372bb6826bd81d3542a419d6',
  google: 'ya29.CanaryGoogleToken-h7Jw_3eRtY6uI',
  awsId: 'AKIACANARYAWSKEYIDXX',
  awsSecret: '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',
  awsSession: 'IQoJb3JpZ2luX2VjCanarySessionToken//////////wEaCXVzLWVhc3QtMSJHMEUCIQD',
} as const

/** What callers and models say to each other. */
export const said = {
  annPrompt: 'prompt-of-ann-Zebra81-please',
  bobPrompt: 'prompt-of-bob-Quokka27-please',
  answer: 'answer-of-a-model-Narwhal63',
} as const

/** Which credentials each vendor is to be sent. */
export const vendors = {
  openai: ['openai'],
  compatible: ['compatible'],
  anthropic: ['anthropic'],
  gemini: ['gemini'],
  azure: ['azure'],
  vertex: ['google'],
  bedrock: ['awsId', 'awsSession'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof canaries)[]>>

export type VendorName = keyof typeof vendors

export const vendorNames = Object.keys(vendors) as VendorName[]

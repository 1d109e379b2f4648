import { fuzzDecoder } from './decoders/decoder-target.ts'

fuzzDecoder('anthropic')
fuzzDecoder('gemini')
fuzzDecoder('vertex')
fuzzDecoder('bedrock')

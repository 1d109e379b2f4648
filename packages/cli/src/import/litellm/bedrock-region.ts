/** `us-east-1/` before a model of Bedrock. */
export const region = /^(?:(?:converse|invoke)\/)?([a-z]{2}(?:-[a-z]+)+-\d)\//

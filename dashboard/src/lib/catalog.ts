// Written by `cargo xtask gen` from the tables in crates/domain and crates/contract.

export const PROVIDERS = ['anthropic', 'openai', 'openai-chat', 'azure-openai', 'gemini', 'bedrock', 'mistral', 'cohere', 'xai', 'deepseek', 'groq', 'openrouter', 'venice', 'doubleword', 'vllm', 'lm-studio', 'llama.cpp', 'mistral.rs', 'openai-compatible', 'ollama']

export const EXECUTORS = ['llm', 'claude-code', 'codex', 'acp', 'process', 'external', 'human', 'replay'] as const

export const EXECUTOR_TITLES: Record<(typeof EXECUTORS)[number], string> = {
  llm: 'a model of a provider',
  'claude-code': 'the Claude Code CLI',
  codex: 'the Codex CLI',
  acp: 'an agent that speaks ACP',
  process: 'a command',
  external: 'your own program',
  human: 'a person',
  replay: 'a recording',
}

export const SCHEMA_PROFILES = ['openai', 'anthropic', 'ollama', 'gemini', 'bedrock', 'mistral', 'cohere', 'deepseek', 'vllm']

export const SCHEMA_PROFILE_LABELS: Record<string, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  ollama: 'Ollama, llama.cpp',
  gemini: 'Gemini',
  bedrock: 'Bedrock',
  mistral: 'Mistral',
  cohere: 'Cohere',
  deepseek: 'DeepSeek',
  vllm: 'vLLM',
}

#!/usr/bin/env python3
"""Makes a tiny model with random weights: half a megabyte that says well-formed nonsense.

usage: tiny.py FILE [SEED]

A model without sense is a good adversary. A decoder that holds it to a schema gets the shape that it enforces, and
every keyword that it does not enforce is broken sooner or later.
"""

import sys

import gguf
import numpy

WIDTH = 64
LAYERS = 2
HEADS = 4
HIDDEN = 128
CONTEXT = 8192

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_letters():
    """GPT-2's way to write each byte as a letter that can be seen."""
    seen = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [byte for byte in range(256) if byte not in seen]
    letters = {byte: chr(byte) for byte in seen}
    letters.update({byte: chr(256 + place) for place, byte in enumerate(unseen)})
    return [letters[byte] for byte in range(256)]


def vocabulary():
    """Every byte, a few pairs (a vocabulary without merges is refused), and the specials."""
    letters = byte_letters()
    pairs = [(letters[ord(" ")], "t"), ("t", "h"), ("e", "r")]
    tokens = letters + [first + second for first, second in pairs]
    kinds = [gguf.TokenType.NORMAL] * len(tokens) + [gguf.TokenType.CONTROL] * len(SPECIALS)
    return tokens + SPECIALS, kinds, [f"{first} {second}" for first, second in pairs]


def describe(writer, tokens, kinds, merges):
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(len(tokens) - 3)
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_eot_token_id(len(tokens) - 1)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)


def weigh(writer, size, random):
    def noise(name, *shape, scale=0.05):
        writer.add_tensor(name, (random.standard_normal(shape) * scale).astype(numpy.float32))

    def ones(name):
        writer.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    embedding = random.standard_normal((size, WIDTH)).astype(numpy.float32)
    output = (random.standard_normal((size, WIDTH)) * 0.1).astype(numpy.float32)
    # One direction is the same for every token, and speaks against bytes above ASCII: the server answers 500 to text
    # that is not UTF-8, and that is not what is looked for here.
    embedding[:, 0] = 5.0
    output[:, 0] = 0.0
    output[128:256, 0] = -10.0
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", output)
    ones("output_norm.weight")
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        ones(block + "attn_norm.weight")
        ones(block + "ffn_norm.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            noise(f"{block}{name}.weight", WIDTH, WIDTH)
        noise(block + "ffn_gate.weight", HIDDEN, WIDTH)
        noise(block + "ffn_up.weight", HIDDEN, WIDTH)
        noise(block + "ffn_down.weight", WIDTH, HIDDEN)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    seed = int(sys.argv[2]) if len(sys.argv) == 3 else 1
    tokens, kinds, merges = vocabulary()
    writer = gguf.GGUFWriter(sys.argv[1], "llama")
    describe(writer, tokens, kinds, merges)
    weigh(writer, len(tokens), numpy.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""A ray tracer: mirror balls over a chequered floor.

Shows a longer kernel: a structure, helper functions, vectors of three floats, and a table of balls as an argument. One
work-item follows the rays of one pixel.

    python examples/images/raytracer.py --width 960 --bounces 6
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import save_png

SOURCE = """
typedef struct { float distance; float3 normal, colour; float mirror; } Hit;

// Where the ray from `eye` along `ray` meets something first; the distance is INFINITY in the sky.
Hit trace(float3 eye, float3 ray, global const float4 *balls, global const float4 *paints, int count) {
  Hit hit = {INFINITY, (float3)(0, 1, 0), (float3)(0, 0, 0), 0};
  if (ray.y < 0) {  // the floor is at y = 0
    hit.distance = -eye.y / ray.y;
    const float3 place = eye + hit.distance * ray;
    const int chequer = ((int)floor(place.x) + (int)floor(place.z)) & 1;
    hit.colour = chequer ? (float3)(0.85f, 0.85f, 0.8f) : (float3)(0.25f, 0.3f, 0.35f);
    hit.mirror = 0.15f;
  }
  for (int k = 0; k < count; k++) {
    const float3 centre = balls[k].xyz, away = centre - eye;
    const float along = dot(away, ray), square = along * along - dot(away, away) + balls[k].w * balls[k].w;
    if (square < 0) continue;
    const float near = along - sqrt(square);
    if (near > 1e-3f && near < hit.distance) {
      hit.distance = near;
      hit.normal = normalize(eye + near * ray - centre);
      hit.colour = paints[k].xyz;
      hit.mirror = paints[k].w;
    }
  }
  return hit;
}

float3 sky(float3 ray) { return mix((float3)(0.95f, 0.8f, 0.65f), (float3)(0.25f, 0.45f, 0.8f), max(ray.y, 0.0f)); }

kernel void render(global float4 *image, global const float4 *balls, global const float4 *paints, int count, int bounces) {
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  const float3 sun = normalize((float3)(-0.5f, 0.8f, -0.4f));
  float3 eye = (float3)(0, 1.6f, -5.5f);
  float3 ray = normalize((float3)((x - 0.5f * width) / height, (0.4f * height - y) / height, 1.2f));
  float3 colour = (float3)(0, 0, 0);
  float share = 1;  // of what the ray sees, in the colour of the pixel
  for (int bounce = 0; bounce <= bounces; bounce++) {
    const Hit hit = trace(eye, ray, balls, paints, count);
    if (isinf(hit.distance)) {
      colour += share * sky(ray);
      break;
    }
    eye += hit.distance * ray + 1e-3f * hit.normal;
    const float lit = isinf(trace(eye, sun, balls, paints, count).distance) ? max(dot(hit.normal, sun), 0.0f) : 0;
    const float3 seen = hit.colour * (0.15f + 0.9f * lit);
    const float mist = bounce == 0 ? exp(-0.015f * hit.distance) : 1;  // far things fade into the sky
    colour += share * mix(sky(ray), seen, mist) * (1 - hit.mirror);
    share *= hit.mirror;
    ray -= 2 * dot(ray, hit.normal) * hit.normal;
  }
  image[y * width + x] = (float4)(colour, 1);
}
"""


def scene():
    """Centre and radius of each ball; its colour and how much of a mirror it is."""
    balls = [[0, 1, 0, 1], [-1.9, 0.7, -0.6, 0.7], [1.7, 0.55, -1, 0.55], [0.6, 0.3, -1.8, 0.3]]
    paints = [[0.9, 0.9, 0.9, 0.7], [0.9, 0.2, 0.2, 0.2], [0.2, 0.6, 0.3, 0.25], [0.95, 0.7, 0.2, 0.1]]
    return np.array(balls, np.float32), np.array(paints, np.float32)


def render(width, height, balls, paints, bounces=4):
    """The picture, float32 of the shape (height, width, 4), about 0 to 1."""
    image = qn.empty((height, width, 4), "float32")
    kernel = qn.Program(SOURCE).render
    kernel(None, (width, height), None, image, qn.asarray(balls), qn.asarray(paints), len(balls), bounces)
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--width", type=int, default=480, help="pixels; the height is five eighths of it")
    parser.add_argument("--bounces", type=int, default=4)
    parser.add_argument("--output", type=Path, default=Path("demo-output/raytracer.png"))
    options = parser.parse_args()

    width, height = 2 * options.width, 2 * (options.width * 5 // 8)  # twice as many rays along each side
    image = render(width, height, *scene(), options.bounces)[..., :3]
    small = qn.mean(image.reshape(height // 2, 2, width // 2, 2, 3), axis=(1, 3))
    pixels = 255 * qn.clip(small, 0, 1) ** (1 / 2.2)  # screens want the root of the brightness
    print(
        f"{image.device}: {width * height:,} rays from the eye, mean brightness {float(qn.mean(small)):.3f}"
    )

    save_png(options.output, pixels.get().astype(np.uint8))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()

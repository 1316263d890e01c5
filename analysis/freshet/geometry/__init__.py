# SPDX-License-Identifier: Apache-2.0
"""Shapes of case files and triangle meshes, with numpy alone: also for Python inside other programs."""
